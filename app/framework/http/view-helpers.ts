const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

/** A timestamp as a day to read: `2026-04-27T…` → `Apr 27, 2026`. What JavaScript has no date for stays as it is. */
export function formatDate(timestamp: string): string {
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? timestamp : DAY.format(date)
}

const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A timestamp as a day and a time to read: `2026-04-27T…` → `Apr 27, 2026, 12:00 PM UTC`; otherwise as `formatDate`. */
export function formatDateTime(timestamp: string): string {
  const date = new Date(timestamp)
  // Not the narrow space that some versions put before PM: a page is to be the same everywhere.
  return Number.isNaN(date.getTime()) ? timestamp : `${MOMENT.format(date).replaceAll('\u202f', ' ')} UTC`
}

/** The beginning of a text in one line, cut between two words. */
export function excerpt(text: string, length = 240): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= length) return line
  const end = Math.max(line.lastIndexOf(' ', length), length / 2)
  // Marks before the dots go, and half of a character that takes two places.
  return `${line.slice(0, end).replace(/[\s\p{P}\p{Cs}]+$/u, '')}…`
}
