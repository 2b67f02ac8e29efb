import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** Parses JSON with whole-line comments, as VS Code does. */
const json = (path: string): unknown => JSON.parse(read(path).replaceAll(/^\s*\/\/.*$/gm, ''))

const { recommendations } = json('.vscode/extensions.json') as { recommendations: string[] }
const container = json('.devcontainer/devcontainer.json') as {
  forwardPorts: number[]
  customizations: { vscode: { extensions: string[] } }
}

describe('the settings of VS Code', () => {
  it('format with a recommended extension on save, and open views as HTML', () => {
    const settings = json('.vscode/settings.json') as Record<string, unknown>
    expect(settings).toMatchObject({ 'editor.formatOnSave': true, 'files.associations': { '*.eta': 'html' } })
    expect(recommendations).toContain(settings['editor.defaultFormatter'])
  })

  it('run Vitest with the Node of the clone', () => {
    const { 'vitest.nodeExecutable': node } = json('.vscode/settings.json') as Record<string, string>
    const version = execFileSync(join(root, node!), ['--version'], { encoding: 'utf8' }).trim()
    const { optionalDependencies } = json('cli/node/package.json') as Record<string, Record<string, string>>
    expect(Object.values(optionalDependencies!)).toContain(version.slice(1))
  })
})

describe('the development container', () => {
  it('installs the recommended extensions', () => {
    expect(container.customizations.vscode.extensions).toEqual(recommendations)
  })

  it('forwards the port of the development server', () => {
    expect(container.forwardPorts).toEqual([readConfig({ NODE_ENV: 'development' }).server.port])
  })

  it('has the version of Node that the framework requires', () => {
    const { engines } = json('app/framework/package.json') as { engines: { node: string } }
    const [, major] = /(\d+)/.exec(engines.node) ?? []
    expect(read('.devcontainer/Dockerfile')).toContain(`FROM node:${major}\n`)
  })
})
