import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Exit, EXIT } from './exit.ts'
import { codeOf, sentenceOf } from './failure.ts'

describe('sentenceOf', () => {
  it('says what failed and why, once each', () => {
    const cause = new Error('no such table')
    expect(sentenceOf(new Error('Migrating failed', { cause }))).toBe('Migrating failed: no such table')
    expect(sentenceOf(new Error('no such table', { cause }))).toBe('no such table')
  })

  it('says what the first of several addresses answered', () => {
    const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:1'), new Error('127.0.0.1:1')])
    expect(sentenceOf(refused)).toBe('connect ECONNREFUSED ::1:1')
  })

  it('shows where a mistake in the code was made', () => {
    expect(sentenceOf(new Error('It failed', { cause: new TypeError('x is null') }))).toMatch(
      /^TypeError: x is null\n +at /,
    )
  })
})

describe('sentenceOf code that can’t be read', () => {
  it('shows the line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'unreadable-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'policy.ts'), '\nconst x = ;\n')
    // Past vitest, which reads files its own way.
    const script = `import(${JSON.stringify(join(folder, 'policy.ts'))}).catch(async (error) => {
      const { sentenceOf } = await import(${JSON.stringify(join(import.meta.dirname, 'failure.ts'))})
      console.log(sentenceOf(new Error('Everything is taken back', { cause: error })))
    })`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout).toMatch(
      /^Everything is taken back: Expression expected\n\S+policy\.ts:2\n\s*const x = ;\n +\^\n$/,
    )
  })

  it('has no line for what was read from elsewhere', () => {
    expect(sentenceOf(new SyntaxError('Unexpected end of JSON input'))).toBe('Unexpected end of JSON input')
  })
})

describe('sentenceOf a package that is not installed', () => {
  const missing = (name: string) => import(name).catch(sentenceOf)

  it('says that the command is for development, where production leaves it out', () => {
    const error = Object.assign(new Error("Cannot find package 'inflection' imported from /app/cli/x.ts"), {
      code: 'ERR_MODULE_NOT_FOUND',
    })
    expect(sentenceOf(error)).toBe(
      'This is for development, where inflection is installed: npm ci --include=dev',
    )
  })

  it('says how to install any other', async () => {
    expect(await missing('no-such-package')).toBe('no-such-package is not installed: npm ci')
  })
})

describe('codeOf', () => {
  it('is what a command ended with, 5 for a lock that somebody holds, and 1 for all else', () => {
    const locked = Object.assign(new Error('canceling statement'), { code: '55P03' })
    expect(codeOf(new Exit(EXIT.conflict, 'There already.'))).toBe(3)
    expect(codeOf(new Error('Migrating failed', { cause: locked }))).toBe(5)
    expect(codeOf(new Error('Something'))).toBe(1)
    expect(codeOf('a text')).toBe(1)
  })
})
