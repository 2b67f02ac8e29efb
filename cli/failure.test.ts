import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Exit, EXIT } from './exit.ts'
import { exitCodeOf, errorText } from './failure.ts'

describe('errorText', () => {
  it('returns the message and its causes without repetitions', () => {
    const cause = new Error('no such table')
    expect(errorText(new Error('Migrating failed', { cause }))).toBe('Migrating failed: no such table')
    expect(errorText(new Error('no such table', { cause }))).toBe('no such table')
  })

  it('returns the error of the first address if a host has several', () => {
    const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:1'), new Error('127.0.0.1:1')])
    expect(errorText(refused)).toBe('connect ECONNREFUSED ::1:1')
  })

  it('returns the stack of a programming error', () => {
    expect(errorText(new Error('It failed', { cause: new TypeError('x is null') }))).toMatch(
      /^TypeError: x is null\n +at /,
    )
  })
})

describe('errorText of a syntax error', () => {
  it('contains the line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'unreadable-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'policy.ts'), '\nconst x = ;\n')
    // Runs in a new process, because vitest transforms files.
    const script = `import(${JSON.stringify(join(folder, 'policy.ts'))}).catch(async (error) => {
      const { errorText } = await import(${JSON.stringify(join(import.meta.dirname, 'failure.ts'))})
      console.log(errorText(new Error('Rolled back', { cause: error })))
    })`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout).toMatch(/^Rolled back: Expression expected\n\S+policy\.ts:2\n\s*const x = ;\n +\^\n$/)
  })

  it('contains no line for text from elsewhere', () => {
    expect(errorText(new SyntaxError('Unexpected end of JSON input'))).toBe('Unexpected end of JSON input')
  })
})

describe('errorText of a missing package', () => {
  const missing = (name: string) => import(name).catch(errorText)

  it('names the development dependency', () => {
    const error = Object.assign(new Error("Cannot find package 'inflection' imported from /app/cli/x.ts"), {
      code: 'ERR_MODULE_NOT_FOUND',
    })
    expect(errorText(error)).toBe(
      'This command needs the development dependency inflection. Install it: npm ci --include=dev',
    )
  })

  it('contains the command that installs any other package', async () => {
    expect(await missing('no-such-package')).toBe('no-such-package is not installed. Run: npm ci')
  })
})

describe('exitCodeOf', () => {
  it('returns the code of an Exit, 5 for a lock timeout, and 1 for other errors', () => {
    const locked = Object.assign(new Error('canceling statement'), { code: '55P03' })
    expect(exitCodeOf(new Exit(EXIT.conflict, 'There already.'))).toBe(3)
    expect(exitCodeOf(new Error('Migrating failed', { cause: locked }))).toBe(5)
    expect(exitCodeOf(new Error('Something'))).toBe(1)
    expect(exitCodeOf('a text')).toBe(1)
  })
})
