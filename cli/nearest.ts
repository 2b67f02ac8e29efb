/** The one of these words that `word` was probably meant to be; null where none is close. */
export function nearest(word: string, words: readonly string[]): string | null {
  const [best] = words
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(word.length, candidate.length) * 0.4)
    .toSorted((one, other) => one.edits - other.edits)
  return best?.candidate ?? null
}

/** The end of a message about a word that is none of these: which was probably meant, where one was, and all there are. */
export function choices(words: readonly string[], meant: string | null = null): string {
  const question = meant === null ? '' : `Did you mean ${meant}? `
  if (words.length === 0) return `${question}There are none.`
  return `${question}There ${words.length === 1 ? 'is' : 'are'} ${new Intl.ListFormat('en-GB').format(words)}.`
}

/** How many letters have to be put in, taken out, replaced or swapped with the next to make one word the other. */
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
