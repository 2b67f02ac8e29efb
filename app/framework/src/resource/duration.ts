type Unit = 'second' | 'minute' | 'hour' | 'day'

/** A duration in words: `30 seconds`, `1 minute`, `2 hours`, `3 days`. */
export type Duration = `${number} ${Unit | `${Unit}s`}`

const SECONDS: Record<Unit, number> = { second: 1, minute: 60, hour: 3_600, day: 86_400 }

/** Returns the duration in seconds. Throws if it is not a whole number of seconds, minutes, hours or days. */
export function secondsOf(duration: Duration): number {
  const [, count, unit] = /^(\d{1,6}) (second|minute|hour|day)s?$/.exec(duration) ?? []
  if (count !== undefined) return Number(count) * SECONDS[unit as Unit]
  throw new Error(`'${duration}' is not a duration. Write a whole number with its unit, like '30 seconds'.`)
}
