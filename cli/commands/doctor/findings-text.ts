import type { Finding } from './finding.ts'

/** Formats the findings as text: one per line with the lines of the fix below it, and a summary at the end. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ id }) => id.length))
  const lines = findings.flatMap(({ id, state, message, todo }) => [
    `${state.padEnd(5)}  ${id.padEnd(width)}  ${message}`,
    ...(todo?.split('\n') ?? []).map((line) => `${' '.repeat(width + 9)}→ ${line}`),
  ])
  return [...lines, '', verdict(findings)].join('\n')
}

function verdict(findings: readonly Finding[]): string {
  const count = findings.filter(({ state }) => state === 'wrong').length
  if (count === 0) return 'No problems found.'
  return count === 1 ? '1 problem found.' : `${count} problems found.`
}
