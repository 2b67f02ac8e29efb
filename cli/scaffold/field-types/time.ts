import { nthTime } from '#app/db/seeding.ts'
import { field } from 'pergola'
import type { FieldType } from './field-type.ts'

/** A time of day: `09:30:00`. */
export const time: FieldType = {
  name: 'time',
  sqlType: () => 'time(0)',
  schema: () => field.time(),
  inputOptions: () => ["type: 'time'"],
  example: () => ({
    value: nthTime,
    code: (n) => `nthTime(${n})`,
    // A browser's input for times sends no seconds.
    entered: (n) => nthTime(n).slice(0, 5),
    helper: 'nthTime',
  }),
  fakeCode: ({ unique }) => (unique ? null : { code: 'officeTime(faker)', helper: 'officeTime' }),
  invalidText: () => '25:00',
  isSortable: true,
}
