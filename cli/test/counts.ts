/** The counts of a step. `problem` describes an error outside of the tests, which counts as one failure. */
export type Counts = { passed: number; failed: number; skipped: number; problem?: string }

/** Returns the counts of vitest's JSON report; null stands for a missing report. */
export function vitestCounts(report: unknown, exitCode: number): Counts {
  if (!isVitestReport(report)) return crashed('vitest', exitCode)
  // A file that could not be loaded, or whose hook failed, contains no failed test.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  return checked(exitCode, {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken,
    skipped: report.numPendingTests + report.numTodoTests,
  })
}

/** Returns the counts of Playwright's JSON report; null stands for a missing report. */
export function playwrightCounts(report: unknown, exitCode: number): Counts {
  if (!isPlaywrightReport(report)) return crashed('Playwright', exitCode)
  const { expected, unexpected, flaky, skipped } = report.stats
  return checked(exitCode, { passed: expected, failed: unexpected + flaky + report.errors.length, skipped })
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

type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

function isVitestReport(report: unknown): report is VitestReport {
  return (
    report !== null && typeof report === 'object' && 'numPassedTests' in report && 'testResults' in report
  )
}

type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  errors: unknown[]
}

function isPlaywrightReport(report: unknown): report is PlaywrightReport {
  return report !== null && typeof report === 'object' && 'stats' in report && 'errors' in report
}
