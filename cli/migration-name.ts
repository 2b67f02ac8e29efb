/**
 * Returns the name of a new migration, `20261121104800_create_posts`. Its timestamp is the current time in UTC, or one
 * second after the last existing migration if that is later: a new migration must sort after all others.
 */
export const migrationName = (change: string, existing: readonly string[], now = new Date()): string =>
  `${nextTimestamp(existing, now)}_${change}`

function nextTimestamp(existing: readonly string[], now: Date): string {
  const timestamps = existing.map((name) => /^\d{14}/.exec(name)?.[0] ?? '').filter(Boolean)
  const last = timestamps.toSorted().at(-1)
  const next = digitsOf(now)
  if (last === undefined || last < next) return next
  // Adds one to the number if it is not a date, because the name was written by hand: 20260199000000.
  const after = dateOf(last)
  return Number.isNaN(after.getTime())
    ? String(BigInt(last) + 1n)
    : digitsOf(new Date(after.getTime() + 1_000))
}

const digitsOf = (date: Date) => date.toISOString().replaceAll(/\D/g, '').slice(0, 14)

const dateOf = (digits: string) =>
  new Date(digits.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'))
