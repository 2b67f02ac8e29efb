import { stripVTControlCharacters } from 'node:util'

/**
 * The counts of a step. `failures` names its failed tests, `flaky` those that passed when they ran again. `problem`
 * describes an error outside of the tests, which counts as one failure.
 */
export type Counts = {
  passed: number
  failed: number
  skipped: number
  failures?: string[]
  flaky?: string[]
  problem?: string
}

/** Returns the counts of vitest's JSON report; null stands for a missing report. */
export function vitestCounts(report: unknown, exitCode: number): Counts {
  if (!isVitestReport(report)) return crashed('vitest', exitCode)
  const failures = report.testResults.flatMap(failuresOf)
  return checked(exitCode, {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    ...(failures.length > 0 && { failures }),
  })
}

function failuresOf({ name, status, assertionResults }: VitestFile): string[] {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length > 0) {
    return failed.map(({ fullName, failureMessages: [message = ''] }) => {
      return `${name}: ${fullName}: ${firstLine(message)}`
    })
  }
  // A file that could not be loaded, or whose hook failed, contains no failed test.
  return status === 'failed' ? [name] : []
}

/**
 * Returns the counts of Playwright's JSON report; null stands for a missing report. The report names files by their
 * paths within `folder`.
 */
export function playwrightCounts(report: unknown, exitCode: number, folder: string): Counts {
  if (!isPlaywrightReport(report)) return crashed('Playwright', exitCode)
  const { expected, unexpected, flaky, skipped } = report.stats
  const failures = [
    ...report.suites.flatMap((suite) => failedSpecs(suite)).map((spec) => `${folder}/${spec}`),
    ...report.errors.map(({ message = 'an error outside of the tests' }) => firstLine(message)),
  ]
  return checked(exitCode, {
    passed: expected,
    failed: unexpected + flaky + report.errors.length,
    skipped,
    ...(failures.length > 0 && { failures }),
  })
}

function failedSpecs({ specs, suites = [] }: PlaywrightSuite): string[] {
  const failed = specs.filter(({ tests }) => tests.some(({ status }) => FAILED.includes(status)))
  return [
    ...failed.map(({ file, line, title }) => `${file}:${line}: ${title}`),
    ...suites.flatMap((suite) => failedSpecs(suite)),
  ]
}

function firstLine(text: string): string {
  return stripVTControlCharacters(text).split('\n', 1)[0] ?? ''
}

export function sum(all: Counts[]): Counts {
  const total = (key: 'passed' | 'failed' | 'skipped') =>
    all.reduce((count, counts) => count + counts[key], 0)
  return { passed: total('passed'), failed: total('failed'), skipped: total('skipped') }
}

function crashed(name: string, exitCode: number): Counts {
  return { passed: 0, failed: 1, skipped: 0, problem: `${name} wrote no report (exit code ${exitCode})` }
}

function checked(exitCode: number, counts: Counts): Counts {
  if (counts.failed > 0) return counts
  if (counts.passed === 0) return { ...counts, failed: 1, problem: 'no test was run' }
  if (exitCode === 0) return counts
  return { ...counts, failed: 1, problem: `an error outside of the tests (exit code ${exitCode})` }
}

/** Returns the files of vitest's JSON report with a failed test or a failed hook. */
export const failedFiles = (report: unknown): string[] =>
  isVitestReport(report)
    ? report.testResults.filter((file) => failuresOf(file).length > 0).map(({ name }) => name)
    : []

type VitestFile = {
  name: string
  status: string
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
}

type VitestReport = {
  numPassedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: VitestFile[]
}

function isVitestReport(report: unknown): report is VitestReport {
  return (
    report !== null && typeof report === 'object' && 'numPassedTests' in report && 'testResults' in report
  )
}

const FAILED = ['unexpected', 'flaky']

type PlaywrightSuite = {
  specs: { file: string; line: number; title: string; tests: { status: string }[] }[]
  suites?: PlaywrightSuite[]
}

type PlaywrightReport = {
  suites: PlaywrightSuite[]
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  errors: { message?: string }[]
}

function isPlaywrightReport(report: unknown): report is PlaywrightReport {
  return report !== null && typeof report === 'object' && 'stats' in report && 'errors' in report
}
