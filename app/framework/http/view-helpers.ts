const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

/** A timestamp as a day to read: `2026-04-27T…` → `Apr 27, 2026`. What JavaScript has no date for stays as it is. */
export function formatDate(timestamp: string): string {
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? timestamp : DAY.format(date)
}
