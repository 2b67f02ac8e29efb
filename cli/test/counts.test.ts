import { describe, expect, it } from 'vitest'
import { playwrightCounts, sum, vitestCounts } from './counts.ts'

const file = (status: string, ...tests: string[]) => ({
  name: 'app/post.test.ts',
  status,
  assertionResults: tests.map((status) => ({
    fullName: `a test that ${status}`,
    status,
    failureMessages: status === 'failed' ? ['AssertionError: expected 1 to be 2\n    at post.test.ts:7'] : [],
  })),
})
const vitest = { numPassedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }

describe('vitestCounts', () => {
  it('counts each test as one', () => {
    const testResults = [file('failed', 'passed', 'failed'), file('passed', 'passed', 'skipped', 'todo')]
    const report = { numPassedTests: 2, numPendingTests: 1, numTodoTests: 1, testResults }
    expect(vitestCounts(report, 1)).toMatchObject({ passed: 2, failed: 1, skipped: 2 })
  })

  it('names the failed tests, and the files without a test that failed', () => {
    const testResults = [
      file('failed', 'passed', 'failed'),
      file('failed', 'skipped'),
      file('passed', 'passed'),
    ]
    const { failures } = vitestCounts({ ...vitest, numPassedTests: 2, testResults }, 1)
    expect(failures).toEqual([
      'app/post.test.ts: a test that failed: AssertionError: expected 1 to be 2',
      'app/post.test.ts',
    ])
  })

  it('counts a file that could not be loaded, or whose hook failed, as one failure', () => {
    const testResults = [file('failed'), file('failed', 'skipped'), file('passed', 'passed')]
    expect(vitestCounts({ ...vitest, numPassedTests: 1, testResults }, 1)).toMatchObject({
      passed: 1,
      failed: 2,
    })
  })

  it('counts an error outside of the tests as one failure', () => {
    const counts = vitestCounts({ ...vitest, numPassedTests: 3 }, 1)
    expect(counts).toMatchObject({
      passed: 3,
      failed: 1,
      problem: expect.stringContaining('outside of the tests'),
    })
  })

  it('counts a run without any test as one failure, even if all were skipped', () => {
    expect(vitestCounts({ ...vitest, numPendingTests: 4 }, 0)).toMatchObject({
      failed: 1,
      problem: 'no test was run',
    })
  })

  it.each([null, {}, 'text'])('counts a missing report as one failure (%j)', (report) => {
    expect(vitestCounts(report, 137)).toMatchObject({
      passed: 0,
      failed: 1,
      problem: expect.stringContaining('137'),
    })
  })
})

describe('playwrightCounts', () => {
  const stats = { expected: 4, unexpected: 0, flaky: 0, skipped: 0 }
  const report = { suites: [], stats, errors: [] }

  it('counts each test as one', () => {
    const counts = playwrightCounts({ ...report, stats: { ...stats, unexpected: 2, skipped: 1 } }, 1, 'e2e')
    expect(counts).toEqual({ passed: 4, failed: 2, skipped: 1 })
  })

  it('names the failed and the flaky tests by the paths that `npm test` accepts', () => {
    const spec = (title: string, status: string) => ({
      file: 'post.spec.ts',
      line: 7,
      title,
      tests: [{ status }],
    })
    const inner = { specs: [spec('signs in', 'flaky'), spec('signs out', 'expected')] }
    const suites = [{ specs: [spec('shows the list', 'unexpected')], suites: [inner] }]
    const { failures } = playwrightCounts({ ...report, suites, stats: { ...stats, unexpected: 1 } }, 1, 'e2e')
    expect(failures).toEqual(['e2e/post.spec.ts:7: shows the list', 'e2e/post.spec.ts:7: signs in'])
  })

  it('names an error outside of the tests by the first line of its message', () => {
    const errors = [
      { message: '\u001B[31mError: Timed out waiting for the server\u001B[39m\n    at a.ts:7' },
      {},
    ]
    const { failures } = playwrightCounts({ ...report, errors }, 1, 'e2e')
    expect(failures).toEqual(['Error: Timed out waiting for the server', 'an error outside of the tests'])
  })

  it('counts a flaky test and an error outside of the tests as failures', () => {
    expect(
      playwrightCounts({ ...report, stats: { ...stats, flaky: 1 }, errors: [{}] }, 1, 'e2e'),
    ).toMatchObject({
      failed: 2,
    })
  })

  it('counts a missing report and an empty run as one failure each', () => {
    expect(playwrightCounts(null, 1, 'e2e')).toMatchObject({ passed: 0, failed: 1 })
    expect(playwrightCounts({ ...report, stats: { ...stats, expected: 0 } }, 0, 'e2e')).toMatchObject({
      failed: 1,
    })
  })
})

describe('sum', () => {
  it('adds the steps up', () => {
    const steps = [
      { passed: 3, failed: 0, skipped: 1 },
      { passed: 2, failed: 1, skipped: 0, problem: 'no test was run' },
    ]
    expect(sum(steps)).toEqual({ passed: 5, failed: 1, skipped: 1 })
  })
})
