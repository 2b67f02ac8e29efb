import { memoize } from './memoize.ts'

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

const MOMENT = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

const MS_PER_DAY = 86_400_000
const MS_PER_MINUTE = 60_000

/** The number of days and of minutes whose text is kept. Formatting one takes longer than rendering a table row. */
const LIMIT = 1_000

const dayText = memoize((day: number) => DAY.format(day * MS_PER_DAY), LIMIT)
const minuteText = memoize((minute: number) => `${MOMENT.format(minute * MS_PER_MINUTE)} UTC`, LIMIT)

/**
 * Returns the day of a timestamp in UTC: `2026-04-27T12:00:00Z` becomes `Apr 27, 2026`. Text that JavaScript can't
 * parse is returned unchanged. In views: `it.formatDate(…)`.
 */
export function formatDate(timestamp: string): string {
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? timestamp : dayText(Math.floor(time / MS_PER_DAY))
}

/** Returns day and time: `Apr 27, 2026, 14:30 UTC`. In UTC, because requests don't contain the user's time zone. */
export function formatDateTime(timestamp: string): string {
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? timestamp : minuteText(Math.floor(time / MS_PER_MINUTE))
}

/** Returns an enum value as readable text: `for_sale` becomes `For sale`. In views: `it.humanize(…)`. */
export function humanize(value: string): string {
  return value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' ')
}

/** Returns the beginning of a text in one line, cut between two words. */
export function excerpt(text: string, length = 240): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= length) return line
  const end = Math.max(line.lastIndexOf(' ', length), length / 2)
  // Removes punctuation before the ellipsis, and half of a surrogate pair.
  return `${line.slice(0, end).replace(/[\s\p{P}\p{Cs}]+$/u, '')}…`
}
