import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { report } from './commands/views/check.ts'
import { untilInterrupted } from './dev/interrupt.ts'
import { anyFreePort } from './port.ts'
import { findBrowser } from './test/browser.ts'
import { type Counts, failedFiles, playwrightCounts, sum, vitestCounts } from './test/counts.ts'
import { formatArguments } from './test/format.ts'
import { foreignFolders, type PlannedStep, planOf } from './test/plan.ts'
import { withSecondRun } from './test/second-run.ts'
import { type SuiteName, SUITES, titleOf } from './test/suites.ts'
import { root, runTool, type Tool } from './test/tools.ts'

// `npm test` runs every step, even after a failed one. Paths select steps and files: `npm test -- app/posts
// e2e/posts.spec.ts`. With `--plain`, the code of `app/framework/src/speed` is switched off.
const [suite = '', ...given] = process.argv.slice(2)
const words = given.filter((word) => word !== '--plain')
if (words.length < given.length) process.env['PERGOLA_PLAIN'] = 'true'
if (!isSuite(suite)) throw new Error(`Valid suites: ${[...Object.keys(SUITES), 'all'].join(', ')}.`)
const plan = planOf(suite, words, (path) => existsSync(join(root, path)))
const signal = untilInterrupted()
// In CI, failed tests run once more, without the others: a busy machine must not refuse a good change.
const runsTwice = Boolean(process.env['CI'])
const reports = mkdtempSync(join(tmpdir(), 'test-reports-'))
process.once('exit', () => rmSync(reports, { recursive: true, force: true }))

// A path may contain no files for the tool: `views/posts` contains no files to lint.
const ALLOW_NO_FILES = ['--no-error-on-unmatched-pattern']

/** Counts as one check, regardless of the number of findings. */
const countOf = (passed: boolean): Counts => ({ passed: Number(passed), failed: Number(!passed), skipped: 0 })

const RUN: Record<PlannedStep['check'], (step: PlannedStep) => Promise<Counts>> = {
  format: (step) =>
    check('prettier', [
      ...formatArguments(process.env),
      '--ignore-unknown',
      ...ALLOW_NO_FILES,
      ...pathsOf(step, '!'),
    ]),
  lint: (step) =>
    check('oxlint', [
      '--type-aware',
      '--deny-warnings',
      ...ALLOW_NO_FILES,
      ...pathsOf(step, '--ignore-pattern='),
    ]),
  types: ({ folder }) => (folder === '.' ? report(root).then(countOf) : check('tsc', ['--project', folder])),
  vitest,
  playwright,
}

const crashed = ({ message }: Error): Counts => ({ passed: 0, failed: 1, skipped: 0, problem: message })

const results: { title: string; counts: Counts; seconds: number }[] = []
for (const step of plan.steps) {
  const title = titleOf(step)
  console.log(`\n# ${title}\n`)
  const start = performance.now()
  const counts = await RUN[step.check](step).catch(crashed)
  results.push({ title, counts, seconds: (performance.now() - start) / 1_000 })
  if (signal.aborted) process.exit(130)
}
summarize()

function isSuite(name: string): name is SuiteName | 'all' {
  return name === 'all' || Object.hasOwn(SUITES, name)
}

/** Returns the paths of a step, followed by the excluded folders of other steps, each with the prefix `not`. */
function pathsOf(step: PlannedStep, not: string): string[] {
  const paths = step.paths.length > 0 ? step.paths : [step.folder]
  return [...paths, ...foreignFolders(step).map((folder) => `${not}${folder}/**`)]
}

async function check(tool: Tool, args: string[]): Promise<Counts> {
  return countOf((await runTool(tool, args, { signal })) === 0)
}

async function vitest(step: PlannedStep): Promise<Counts> {
  const { counts, failed } = await vitestOnce(step, 'first')
  if (!runsTwice || failed.length === 0 || signal.aborted) return counts
  const paths = failed.map((file) => relative(file))
  return withSecondRun(counts, (await vitestOnce({ ...step, paths }, 'second')).counts)
}

async function vitestOnce({ folder, paths, options }: PlannedStep, run: string) {
  const file = join(reports, `vitest-${results.length}-${run}.json`)
  const config = `--config=${join(folder, 'vitest.config.ts')}`
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const code = await runTool('vitest', ['run', config, ...reporters, ...paths, ...options], { signal })
  const report = readReport(file)
  return { counts: vitestCounts(report, code), failed: failedFiles(report) }
}

async function playwright(step: PlannedStep): Promise<Counts> {
  const counts = await playwrightOnce(step, 'first')
  if (!runsTwice || counts.failures === undefined || signal.aborted) return counts
  return withSecondRun(counts, await playwrightOnce(step, 'second', ['--last-failed']))
}

async function playwrightOnce(
  { folder, paths, options }: PlannedStep,
  run: string,
  more: readonly string[] = [],
): Promise<Counts> {
  const browser = findBrowser()
  console.log(`Using ${browser}`)
  const file = join(reports, `playwright-${results.length}-${run}.json`)
  const port = await anyFreePort()
  const env = { CHROMIUM_PATH: browser, E2E_PORT: String(port), PLAYWRIGHT_JSON_OUTPUT_FILE: file }
  const args = ['test', '--config', folder, '--reporter=line,json', ...paths, ...options, ...more]
  const code = await runTool('playwright', args, { env, signal })
  return playwrightCounts(readReport(file), code, folder)
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** Vitest names files by their absolute paths. */
function relative(failure: string): string {
  return failure.replace(`${root}${sep}`, '')
}

// Prints the counts on the last line, so that programs can find them.
function summarize(): void {
  console.log('\n# Summary\n')
  for (const { title, counts, seconds } of results) {
    const notes = [counts.skipped > 0 && `${counts.skipped} skipped`, counts.problem].filter(Boolean)
    const line = [`${title}: ${counts.passed} passed, ${counts.failed} failed`, ...notes].join(', ')
    console.log(`${line} (${seconds.toFixed(0)} s)`)
    for (const failure of counts.failures ?? []) console.log(`  ${relative(failure)}`)
    for (const failure of counts.flaky ?? []) console.log(`  flaky: ${relative(failure)}`)
  }
  if (words.length > 0) {
    const leftOut = plan.leftOut.map(titleOf).join(', ')
    console.log(`"${words.join(' ')}" narrows this run.${leftOut && ` Left out: ${leftOut}.`}`)
  }
  const { passed, failed } = sum(results.map(({ counts }) => counts))
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}
