import { Exit, EXIT } from '../exit.ts'

/**
 * Applies a diff as pages and add-ons have it: lines with `+`, `-` or a space in front, and a line `@@` between places. The
 * headers of `git diff` may stay. Throws unless the lines of each place occur exactly once, so that a reader finds the place too.
 *
 * ```diff
 *  export const postPolicy = policy(Post, {
 * -  canCreate: (ctx) => ctx.userId !== null,
 * +  canCreate: (ctx) => ctx.hasRole('editor'),
 * ```
 */
export function applyEdit(text: string, diff: string): string {
  return placesOf(diff).reduce((edited, lines) => {
    const before = linesOf(lines, '-')
    if (before.length === 0)
      throw new Error('A place of the diff needs a line that the file contains already.')
    return replaceOnce(edited, before, linesOf(lines, '+'))
  }, text)
}

/**
 * Reverts a diff. Added lines are found without the lines around them, between which others may have been added since. Throws
 * unless each group of them occurs exactly once.
 */
export function revertEdit(text: string, diff: string): string {
  return placesOf(diff).reduceRight((edited, lines) => {
    if (lines.some((line) => line.startsWith('-')))
      return replaceOnce(edited, linesOf(lines, '+'), linesOf(lines, '-'))
    const groups = lines.join('\n').match(/^\+.*(?:\n\+.*)*/gm) ?? []
    return groups.reduce((rest, group) => replaceOnce(rest, linesOf(group.split('\n'), '+'), []), edited)
  }, text)
}

function placesOf(diff: string): string[][] {
  const places = diff.replace(/^diff --git [^]*?^(?=@@)/m, '').split(/^@@.*$/m)
  const filled = places.map((place) => place.replaceAll(/^\n|\n$/g, '')).filter((place) => place !== '')
  const invalid = /^[^\n +-].*/m.exec(filled.join('\n'))
  if (invalid !== null)
    throw new Exit(EXIT.failed, `This line of the diff needs +, - or a space in front: ${invalid[0]}`)
  return filled.map((place) => place.split('\n'))
}

/** Returns the unchanged lines and those with `sign`. An editor may have removed the space of an empty line. */
const linesOf = (lines: readonly string[], sign: '+' | '-'): string[] =>
  lines.filter((line) => line === '' || line[0] === ' ' || line[0] === sign).map((line) => line.slice(1))

function replaceOnce(text: string, before: readonly string[], after: readonly string[]): string {
  const lines = text.split('\n')
  const starts = lines
    .keys()
    .filter((start) => before.every((line, offset) => lines[start + offset] === line))
  const [start, ...others] = starts
  if (start === undefined || others.length > 0) {
    const count = start === undefined ? 'not' : `${others.length + 1} times`
    throw new Error(`These lines occur ${count} in the file:\n${before.join('\n')}`)
  }
  return lines.toSpliced(start, before.length, ...after).join('\n')
}
