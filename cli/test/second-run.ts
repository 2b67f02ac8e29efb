import type { Counts } from './counts.ts'

/**
 * Returns the counts of a step whose failed tests ran once more, by themselves. Tests that then passed are flaky: they
 * count as passed, and the summary lists them, so that they are repaired.
 */
export function withSecondRun(first: Counts, second: Counts): Counts {
  const { failures = [], problem } = second
  const names = failures.map(nameOf)
  const flaky = (first.failures ?? []).filter((failure) => !names.includes(nameOf(failure)))
  const { failed } = second
  return {
    passed: first.passed + Math.max(0, first.failed - failed),
    failed,
    skipped: first.skipped,
    ...(flaky.length > 0 && { flaky }),
    ...(failures.length > 0 && { failures }),
    ...(problem !== undefined && { problem }),
  }
}

/** Returns a failure without its message, which may differ between two runs. */
const nameOf = (failure: string): string => failure.split(': ', 2).join(': ')
