import { memoize, weakMemoize } from '../../resource/memoize.ts'
import { escapeHtml, html, type Html } from './html.ts'

const DAY = { dateStyle: 'medium', timeZone: 'UTC' } as const
const MOMENT = { ...DAY, timeStyle: 'short', hourCycle: 'h23' } as const

/** Created on first use, because the first formatter of a process takes 10 ms. */
const formatIn = weakMemoize((style: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en', style))

/** A timestamp as rows contain it: `2026-04-27T12:00:00.000000Z`. */
const IN_UTC = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/

/** The number of days and of minutes whose text is kept. Formatting one takes longer than rendering a table row. */
const LIMIT = 1_000

const dayOf = (timestamp: string) => ({ time: Date.parse(timestamp), text: formatted(timestamp, DAY) })
const knownDay = memoize(dayOf, LIMIT)
const dayIn = (timestamp: string) =>
  IN_UTC.test(timestamp) ? knownDay(timestamp.slice(0, 10)) : dayOf(timestamp)

const minuteOf = (timestamp: string) => formatted(timestamp, MOMENT)
const minuteText = memoize(minuteOf, LIMIT)

/**
 * Returns the day of a timestamp in UTC: `2026-04-27T12:00:00Z` becomes `Apr 27, 2026`. Text that JavaScript can't
 * parse is returned unchanged. In views: `it.formatDate(…)`.
 */
export function formatDate(timestamp: string): string {
  return dayIn(timestamp).text ?? timestamp
}

/** Returns day and time: `Apr 27, 2026, 14:30 UTC`. In UTC, because requests don't contain the user's time zone. */
export function formatDateTime(timestamp: string): string {
  const minute = IN_UTC.test(timestamp) ? minuteText(`${timestamp.slice(0, 16)}Z`) : minuteOf(timestamp)
  return minute === null ? timestamp : `${minute} UTC`
}

const A_DAY = 86_400
const A_MONTH = 30 * A_DAY
const UNITS = [
  ['day', A_DAY],
  ['hour', 3_600],
  ['minute', 60],
] as const

let relative: Intl.RelativeTimeFormat | undefined

/** The key is the number of units and the index of the unit: `-3 0` is three days ago. */
const relativeText = memoize((key: string): string => {
  const [count, index] = key.split(' ').map(Number) as [number, number]
  relative ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  return relative.format(count, UNITS[index]?.[0] ?? 'second')
}, LIMIT)

/**
 * Returns how long ago or ahead a timestamp is: `3 days ago`, `tomorrow`, `in 2 hours`. Returns `now` within a
 * minute, and the day beyond a month. Show the exact time beside it, as `time` does.
 */
export function formatRelative(timestamp: string, now = Date.now()): string {
  const { time, text } = dayIn(timestamp)
  // Parses no timestamp whose day is far away, as most are.
  const isNear = Math.abs(time - now) < (A_MONTH + A_DAY) * 1_000
  const seconds = isNear ? (Date.parse(timestamp) - now) / 1_000 : Infinity
  if (!(Math.abs(seconds) < A_MONTH)) return text ?? timestamp
  const index = UNITS.findIndex(([, size]) => Math.abs(seconds) >= size)
  const size = UNITS[index]?.[1]
  return relativeText(`${size ? Math.trunc(seconds / size) : 0} ${index}`)
}

/** Returns HTML: how long ago a timestamp is, with the exact time in `title`. In views: `<%~ it.time(post.created_at) %>`. */
export function time(timestamp: string): Html {
  const title = escapeHtml(formatDateTime(timestamp))
  const text = escapeHtml(formatRelative(timestamp))
  return html(`<time datetime="${escapeHtml(timestamp)}" title="${title}">${text}</time>`)
}

function formatted(timestamp: string, style: Intl.DateTimeFormatOptions): string | null {
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? null : formatIn(style).format(time)
}

const moneyIn = memoize(
  // More digits than the currency has are shown rather than rounded.
  (currency: string) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 20 }),
  LIMIT,
)

/**
 * Returns an amount with its currency, exactly: `€1,050.50` for `'1050.50'` and `'EUR'`, and `¥1,050` for `'1050.00'` and
 * `'JPY'`. In views: `it.formatMoney(…)`.
 */
export function formatMoney(amount: string, currency: string): string {
  return moneyIn(currency).format(amount as `${number}`)
}

/** Returns the beginning of a text in one line, cut between two words. */
export function excerpt(text: string, length = 240): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= length) return line
  const end = Math.max(line.lastIndexOf(' ', length), length / 2)
  // Removes punctuation before the ellipsis, and half of a surrogate pair.
  return `${line.slice(0, end).replace(/[\s\p{P}\p{Cs}]+$/u, '')}…`
}
