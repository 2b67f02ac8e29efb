import { Exit, EXIT } from './exit.ts'

/** Returns the one with this name. Throws with a suggestion if none has it. */
export function findByName<One extends { readonly name: string }>(
  kind: string,
  name: string,
  all: readonly One[],
): One {
  const found = all.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = all.map((one) => one.name)
  throw new Exit(EXIT.usage, `Unknown ${kind}: ${name}. ${choices(names, nearest(name, names))}`)
}

/** Returns the most similar of these words, or null if none is similar enough. */
export function nearest(word: string, words: readonly string[]): string | null {
  const [best] = words
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(word.length, candidate.length) * 0.4)
    .toSorted((one, other) => one.edits - other.edits)
  return best?.candidate ?? null
}

/** Returns the end of a message about an unknown word: `Did you mean post? Available: page, post.` */
export function choices(words: readonly string[], suggestion: string | null = null): string {
  const question = suggestion === null ? '' : `Did you mean ${suggestion}? `
  if (words.length === 0) return `${question}No alternatives exist.`
  return `${question}Available: ${words.join(', ')}.`
}

/** Returns the edit distance: the number of letters to insert, delete, replace or swap with the next letter. */
function editsBetween(one: string, other: string): number {
  const edits = Array.from({ length: one.length + 1 }, (_, row) => [row])
  const at = (row: number, column: number) => edits[row]?.[column] ?? Infinity
  for (let row = 0; row <= one.length; row++)
    for (let column = row === 0 ? 1 : 0; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const ways = [
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
      ]
      if (swapped && row > 1 && column > 1) ways.push(at(row - 2, column - 2) + 1)
      if (column > 0 || row > 0) (edits[row] ??= [])[column] = row === 0 ? column : Math.min(...ways)
    }
  return at(one.length, other.length)
}
