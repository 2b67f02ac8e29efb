import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'

const start = pathToFileURL(join(import.meta.dirname, '../src/start.js')).href

let clone: string

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'pergola clone-'))
  onTestFinished(() => rmSync(clone, { recursive: true }))
  write('package.json', '{ "type": "module" }')
  write(
    'app/start.js',
    `import { speedUpImports } from '${start}'
     speedUpImports(${JSON.stringify(clone)})
     const { value } = await import("./server.ts")
     console.log(value, process.moduleLoadList.some((name) => name.includes('amaro')))`,
  )
  write('app/server.ts', `export { value } from './value.ts'`)
  write('app/value.ts', `export const value: number = 7`)
})

describe('speedUpImports', () => {
  it('caches TypeScript without its types, so that the next process does not load the compiler', () => {
    mkdirSync(join(clone, 'node_modules'))
    expect(run()).toBe('7 true')
    expect(run()).toBe('7 false')
    write('app/value.ts', `export const value: number = 8`)
    expect(run()).toBe('8 true')
  })

  it('works without a cache if its folder cannot be created', () => {
    write('node_modules/.cache', 'a file')
    expect(run()).toBe('7 true')
    expect(run()).toBe('7 true')
  })

  it('writes nothing into the packages of another clone', () => {
    const other = join(clone, 'other')
    mkdirSync(other)
    symlinkSync(other, join(clone, 'node_modules'))
    expect(run()).toBe('7 true')
    expect(readdirSync(other)).toEqual([])
  })

  it('loads each file once, however it is imported', () => {
    write('package.json', '{ "type": "module", "imports": { "#app/*": "./app/*" } }')
    write('app/server.ts', `import { a } from './value.ts'\nexport { a as value }`)
    write(
      'app/value.ts',
      `import * as own from '#app/value.ts'\nexport const a = {}\nawait 0\na.is = own.a === a`,
    )
    expect(run()).toMatch(/^\{ is: true \}/)
  })

  it('keeps the error message that names the importing file', () => {
    write('app/server.ts', `export { value } from './missing.ts'`)
    expect(run).toThrow(/Cannot find module '.*missing\.ts' imported from .*server\.ts/)
  })
})

/** Starts the application in a process of its own, and returns what it prints. */
function run(): string {
  const env = { PATH: process.env['PATH'] }
  return execFileSync(process.execPath, ['app/start.js'], { cwd: clone, env, encoding: 'utf8' }).trim()
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(clone, file)), { recursive: true })
  writeFileSync(join(clone, file), text)
}
