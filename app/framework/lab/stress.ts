import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
const CONFIGS: Readonly<Record<string, string>> = {
  application: 'vitest.config.ts',
  framework: 'app/framework/vitest.config.ts',
  processes: 'app/framework/lab/suites/vitest.config.ts',
  cli: 'cli/vitest.config.ts',
}
const ROUNDS = 5

// Runs a suite five times while other processes keep all cores busy, and lists each test that failed at least once: such a
// test depends on time. `npm run test:stress -- framework`; further words select files.
const [suite = 'application', ...paths] = process.argv.slice(2)
const config = CONFIGS[suite]
if (config === undefined) throw new Error(`Valid suites: ${Object.keys(CONFIGS).join(', ')}.`)

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
  for (const name of failed) failures.set(name, (failures.get(name) ?? 0) + 1)
  process.stdout.write(`\nRound ${round} of ${ROUNDS}: ${failed.length} failed.\n`)
}
for (const [name, count] of failures) process.stdout.write(`${count} of ${ROUNDS}: ${name}\n`)
process.exit(failures.size > 0 ? 1 : 0)

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** Runs the suite once. Returns the names of the failed tests, and of the files that failed without one. */
async function failuresOf(file: string): Promise<string[]> {
  const args = ['run', `--config=${config}`, '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  await once(spawn(process.execPath, [vitest, ...args, ...paths], { cwd: root, stdio: 'inherit' }), 'exit')
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0) return status === 'failed' ? [name] : []
    return failed.map(({ fullName }) => `${name.replace(`${root}/`, '')}: ${fullName}`)
  })
}
