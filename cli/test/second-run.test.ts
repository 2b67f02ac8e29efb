import { describe, expect, it } from 'vitest'
import { withSecondRun } from './second-run.ts'

const first = { passed: 5, failed: 2, skipped: 1, failures: ['a.test.ts: works: expected 1', 'b.test.ts'] }

describe('withSecondRun', () => {
  it('counts tests that pass when they run again as passed, and lists them as flaky', () => {
    const second = { passed: 4, failed: 0, skipped: 0 }
    expect(withSecondRun(first, second)).toEqual({
      passed: 7,
      failed: 0,
      skipped: 1,
      flaky: ['a.test.ts: works: expected 1', 'b.test.ts'],
    })
  })

  it('counts a test that fails twice as failed, although its message differs', () => {
    const second = { passed: 3, failed: 1, skipped: 0, failures: ['a.test.ts: works: expected 2'] }
    expect(withSecondRun(first, second)).toMatchObject({
      passed: 6,
      failed: 1,
      flaky: ['b.test.ts'],
      failures: ['a.test.ts: works: expected 2'],
    })
  })

  it('keeps an error outside of the tests', () => {
    const second = { passed: 0, failed: 1, skipped: 0, problem: 'vitest wrote no report (exit code 1)' }
    expect(withSecondRun(first, second)).toMatchObject({ failed: 1, problem: second.problem })
  })
})
