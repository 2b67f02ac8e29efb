import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilInterrupted } from './dev/interrupt.ts'
import { anyFreePort } from './port.ts'
import { findBrowser } from './test/browser.ts'
import { playwrightCounts, sum, vitestCounts } from './test/counts.ts'
import type { Counts } from './test/counts.ts'
import { filtersFrom } from './test/filters.ts'
import { thisMachine } from './test/machine.ts'
import { runTool } from './test/tools.ts'
import type { Tool } from './test/tools.ts'

// `npm test`: every step is run, also after one that failed. Paths narrow the tests: `npm test -- app/posts e2e/posts.spec.ts`.
const filters = filtersFrom(process.argv.slice(2))
const signal = untilInterrupted()
const reports = mkdtempSync(join(tmpdir(), 'test-reports-'))
process.once('exit', () => rmSync(reports, { recursive: true, force: true }))

const steps: Record<string, () => Promise<Counts>> = {
  'Format (prettier)': () => check(['prettier', '--check', '.']),
  'Lint (oxlint)': () => check(['oxlint', '--type-aware', '--deny-warnings']),
  'Types (tsc)': () => check(['tsc'], ['tsc', '--project', 'e2e']),
  ...(filters.vitest && { 'Tests (vitest)': () => vitest(filters.vitest ?? []) }),
  ...(filters.playwright && { 'Browser tests (playwright)': () => playwright(filters.playwright ?? []) }),
}

const results: [title: string, counts: Counts][] = []
for (const [title, run] of Object.entries(steps)) {
  console.log(`\n# ${title}\n`)
  results.push([title, await run().catch(crashed)])
  if (signal.aborted) process.exit(130)
}
summarize()

/** Counts as one, however many commands and findings it has. */
async function check(...commands: [tool: Tool, ...args: string[]][]): Promise<Counts> {
  const codes: number[] = []
  for (const [tool, ...args] of commands) codes.push(await runTool(tool, args, { signal }))
  const passed = codes.every((code) => code === 0) ? 1 : 0
  return { passed, failed: 1 - passed, skipped: 0 }
}

async function vitest(paths: readonly string[]): Promise<Counts> {
  const file = join(reports, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const code = await runTool('vitest', ['run', ...reporters, ...paths], { signal })
  return vitestCounts(readReport(file), code)
}

async function playwright(paths: readonly string[]): Promise<Counts> {
  const browser = findBrowser(thisMachine)
  console.log(`Using ${browser}`)
  const file = join(reports, 'playwright.json')
  const port = await anyFreePort()
  const env = { CHROMIUM_PATH: browser, E2E_PORT: String(port), PLAYWRIGHT_JSON_OUTPUT_FILE: file }
  const code = await runTool('playwright', ['test', '--config', 'e2e', '--reporter=line,json', ...paths], {
    env,
    signal,
  })
  return playwrightCounts(readReport(file), code)
}

function crashed(error: Error): Counts {
  return { passed: 0, failed: 1, skipped: 0, problem: error.message }
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

// The line with the counts stands alone and last, for people and for programs.
function summarize(): void {
  console.log('\n# Summary\n')
  for (const [title, counts] of results) {
    const notes = [counts.skipped > 0 && `${counts.skipped} skipped`, counts.problem].filter(Boolean)
    console.log([`${title}: ${counts.passed} passed, ${counts.failed} failed`, ...notes].join(', '))
  }
  const narrowed = `"${process.argv.slice(2).join(' ')}" narrows this run.`
  if (filters.playwright === null) console.log(`The browser tests were left out: ${narrowed}`)
  if (filters.vitest === null) console.log(`All but the browser tests were left out: ${narrowed}`)
  const { passed, failed } = sum(results.map(([, counts]) => counts))
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}
