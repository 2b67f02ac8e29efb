import type { Finding } from './finding.ts'

/** The findings for people: one a line, what to do about it below, and a verdict. */
export function inWords(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ id }) => id.length))
  const lines = findings.flatMap(({ id, state, says, todo }) => [
    `${state.padEnd(5)}  ${id.padEnd(width)}  ${says}`,
    ...(todo === undefined ? [] : [`${' '.repeat(width + 9)}→ ${todo}`]),
  ])
  return [...lines, '', verdict(findings)].join('\n')
}

function verdict(findings: readonly Finding[]): string {
  const count = findings.filter(({ state }) => state === 'wrong').length
  if (count === 0) return 'Nothing is wrong.'
  return count === 1 ? 'One thing is wrong.' : `${count} things are wrong.`
}
