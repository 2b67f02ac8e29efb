import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
const CONFIGS: Readonly<Record<string, string>> = {
  application: 'vitest.config.ts',
  framework: 'app/framework/vitest.config.ts',
  processes: 'app/framework/lab/suites/vitest.config.ts',
  cli: 'cli/vitest.config.ts',
  e2e: 'e2e/playwright.config.ts',
  browser: 'app/framework/test/browser/playwright.config.ts',
}
const ROUNDS = 5

// Runs a suite five times while other processes keep all cores busy, and lists each test that failed at least once: such a
// test depends on time. `npm run pergola -- test:stress framework`; further words select files. Browser tests need CHROMIUM_PATH.
const [suite = 'application', ...paths] = process.argv.slice(2)
const config = CONFIGS[suite] ?? ''
if (config === '') throw new Error(`Valid suites: ${Object.keys(CONFIGS).join(', ')}.`)

const folder = mkdtempSync(join(tmpdir(), 'pergola-stress-'))
const busy = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['-e', 'for (;;);']),
)
process.once('exit', () => {
  for (const child of busy) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const failures = new Map<string, number>()
for (let round = 1; round <= ROUNDS; round++) {
  const failed = await failuresOf(join(folder, `${round}.json`))
  for (const name of new Set(failed)) failures.set(name, (failures.get(name) ?? 0) + 1)
  process.stdout.write(`\nRound ${round} of ${ROUNDS}: ${failed.length} failed.\n`)
}
for (const [name, count] of failures) process.stdout.write(`${count} of ${ROUNDS}: ${name}\n`)
process.exit(failures.size > 0 ? 1 : 0)

interface VitestReport {
  readonly testResults?: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

interface PlaywrightSuite {
  readonly title?: string
  readonly suites?: readonly PlaywrightSuite[]
  readonly specs?: readonly { readonly title: string; readonly ok: boolean }[]
}

/** Runs the suite once. Returns the names of the failed tests, and of the files that failed without one. */
async function failuresOf(file: string): Promise<string[]> {
  const isPlaywright = config.includes('playwright')
  const program = isPlaywright ? '@playwright/test/cli.js' : 'vitest/vitest.mjs'
  const args = isPlaywright
    ? ['test', `--config=${config}`, '--reporter=dot,json']
    : ['run', `--config=${config}`, '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: file }
  const words = [join(root, 'node_modules', program), ...args, ...paths]
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  const report: unknown = JSON.parse(existsSync(file) ? readFileSync(file, 'utf8') : '{}')
  const failed = isPlaywright ? failedSpecs(report as PlaywrightSuite) : failedTests(report as VitestReport)
  return failed.length === 0 && code !== 0 ? ['an error outside of the tests'] : failed
}

function failedSpecs({ title: group = '', suites = [], specs = [] }: PlaywrightSuite): string[] {
  const failed = specs.filter(({ ok }) => !ok).map(({ title }) => title)
  return [...failed, ...suites.flatMap(failedSpecs)].map((name) => `${group} ${name}`.trim())
}

function failedTests({ testResults = [] }: VitestReport): string[] {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0) return status === 'failed' ? [name] : []
    return failed.map(({ fullName }) => `${name.replace(`${root}/`, '')}: ${fullName}`)
  })
}
