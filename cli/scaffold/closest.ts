/** The candidate that a misspelt word was probably meant to be; null when none is close. */
export function closest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase()
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance)
  const best = ranked[0]
  return best !== undefined && best.distance <= Math.max(1, wanted.length / 3) ? best.candidate : null
}

/** How many letters have to be put in, taken out, replaced or swapped with their neighbour. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
