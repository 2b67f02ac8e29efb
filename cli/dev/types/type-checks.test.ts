import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { typeChecks } from './type-checks.ts'

/** A check that writes to the file `log` when it starts and when it is stopped, and sends the content of the file `errors` as soon as it exists. */
const CHECK = `
  import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
  appendFileSync('log', '.')
  process.once('disconnect', () => {
    appendFileSync('log', 'x')
    process.exit()
  })
  setInterval(() => {
    if (!existsSync('errors')) return
    const errors = JSON.parse(readFileSync('errors', 'utf8'))
    rmSync('errors')
    process.send(errors, () => process.exit())
  }, 10)`

function developed() {
  const folder = mkdtempSync(join(tmpdir(), 'type-checks-'))
  const [log, errors] = [join(folder, 'log'), join(folder, 'errors')]
  const reports: (readonly string[])[] = []
  const code = `process.chdir(${JSON.stringify(folder)})\n${CHECK}`
  const checks = typeChecks(
    { command: process.execPath, args: ['--input-type=module', '-e', code], env: () => process.env },
    (report) => reports.push(report),
  )
  const marks = (mark: string) => (existsSync(log) ? readFileSync(log, 'utf8').split(mark).length - 1 : 0)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return {
    checks,
    reports,
    started: (number: number) => expect.poll(() => marks('.')).toBe(number),
    ended: () => marks('x'),
    /** Ends the running check with these errors. */
    finish: (...texts: string[]) => {
      writeFileSync(`${errors}.new`, JSON.stringify(texts))
      renameSync(`${errors}.new`, errors)
      return expect.poll(() => existsSync(errors)).toBe(false)
    },
  }
}

it('reports the errors of a check if they changed', async () => {
  const { checks, reports, started, finish } = developed()
  const expected: string[][] = []
  let number = 0
  for (const errors of [['one', 'two'], ['one', 'two'], [], ['three']]) {
    checks.check()
    await started(++number)
    await finish(...errors)
    if (errors.join() !== expected.at(-1)?.join()) expected.push(errors)
    await expect.poll(() => reports).toEqual(expected)
  }
})

it('checks once more after changes during a check, whose errors are outdated', async () => {
  const { checks, reports, started, finish } = developed()
  checks.check()
  await started(1)
  checks.check()
  checks.check()
  await finish('outdated')
  await started(2)
  await finish('current')
  await expect.poll(() => reports).toEqual([['current']])
  await started(2)
})

it('ends the running check', async () => {
  const { checks, started, ended } = developed()
  checks.check()
  await started(1)
  checks.stop()
  await expect.poll(ended).toBe(1)
})
