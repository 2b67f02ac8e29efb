import type { z } from 'zod'
import { reading, Refusal } from './read-field.ts'

type Field = z.ZodType<string, string | number>

/** Returns a schema for a date, `2026-04-27`. */
export const dateField = (): Field =>
  reading({
    kind: 'date',
    missing: NO_DATE,
    read: (text) => (isDay(text) ? text : new Refusal(NO_DATE)),
  })

/** Returns a schema for a time of day to the second, `14:30:00`. */
export const timeField = (): Field =>
  reading({
    kind: 'time',
    missing: NO_TIME,
    read(text) {
      const [, minutes, seconds = '00'] = TIME.exec(text) ?? []
      return minutes === undefined ? new Refusal(NO_TIME) : `${minutes}:${seconds}`
    },
  })

/**
 * Returns a schema for a timestamp to the microsecond, `2026-04-27T14:30:00.000000Z`. It reads a timestamp without a
 * time zone, as date pickers send it, as UTC.
 */
export const datetimeField = (): Field =>
  reading({
    kind: 'datetime',
    missing: NO_DATETIME,
    read(text) {
      const [, day = '', time = '', fraction = '', zone = 'Z'] = DATETIME.exec(text) ?? []
      const moment = new Date(`${day}T${time}${zone.toUpperCase()}`)
      if (!isDay(day) || Number.isNaN(moment.getTime())) return new Refusal(NO_DATETIME)
      // A Date has milliseconds only.
      const exact = `${moment.toISOString().slice(0, -5)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`
      return isDay(exact.slice(0, 10)) ? exact : new Refusal(NO_DATETIME)
    },
  })

/** Returns a timestamp for a date picker: UTC without a time zone, and without seconds if they are zero. */
export function toPicker(moment: string): string {
  const [, minutes, seconds, thousandths] = EXACT.exec(moment) ?? []
  if (minutes === undefined) return moment
  if (thousandths !== '000') return `${minutes}:${seconds}.${thousandths}`
  return seconds === '00' ? minutes : `${minutes}:${seconds}`
}

const EXACT = /^(\S+T\d\d:\d\d):(\d\d)\.(\d{3})\d*Z$/
const TIME = /^((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d))?$/
const DATETIME =
  /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.(\d{1,9}))?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/i

const NO_DATE = 'Use a valid date, like 2026-04-27.'
const NO_TIME = 'Use a time like 14:30.'
const NO_DATETIME = 'Use a date and a time, like 2026-04-27 14:30.'

/**
 * Returns whether the text is a date. Rejects February 30, which `Date` moves to March, and years before 1, which are
 * BC.
 */
function isDay(text: string): boolean {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00Z`) : null
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && text >= '0001'
}
