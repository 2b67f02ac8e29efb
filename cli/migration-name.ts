/**
 * The name of a migration that comes after all of these, `20261121104800_create_posts`: it begins with now, in UTC, or a
 * second after the last of them, since a migration never goes before one that may be run already.
 */
export const migrationName = (what: string, existing: readonly string[], now = new Date()): string =>
  `${nextTimestamp(existing, now)}_${what}`

function nextTimestamp(existing: readonly string[], now: Date): string {
  const taken = existing.map((name) => /^\d{14}/.exec(name)?.[0] ?? '').filter(Boolean)
  const last = taken.toSorted().at(-1)
  const next = digitsOf(now)
  if (last === undefined || last < next) return next
  // Hand-made names are no dates, like 20260199000000: then it is a number that is one larger.
  const after = dateOf(last)
  return Number.isNaN(after.getTime())
    ? String(BigInt(last) + 1n)
    : digitsOf(new Date(after.getTime() + 1_000))
}

const digitsOf = (date: Date) => date.toISOString().replaceAll(/\D/g, '').slice(0, 14)

const dateOf = (digits: string) =>
  new Date(digits.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'))
