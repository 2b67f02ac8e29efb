import { nthMoment } from '#app/db/seeding.ts'
import { field } from 'pergola'
import { fakeDay } from './fake-days.ts'
import type { FieldType } from './field-type.ts'

/** A date and time: `2026-01-31T09:30:00.000000Z`. */
export const datetime: FieldType = {
  name: 'datetime',
  aliases: ['timestamp', 'timestamptz'],
  sqlType: () => 'timestamptz(3)',
  schema: () => field.datetime(),
  inputOptions: () => ["type: 'datetime-local'"],
  hint: () => 'In UTC.',
  markup: (value) => `<time datetime="<%= ${value} %>"><%= it.formatDateTime(${value}) %></time>`,
  example: () => ({
    value: nthMoment,
    code: (n) => `nthMoment(${n})`,
    // A browser's input for dates and times sends neither seconds nor a time zone.
    entered: (n) => nthMoment(n).slice(0, 16),
    helper: 'nthMoment',
  }),
  fakeCode: (field) => fakeDay(field, 'momentBetween'),
  invalidText: () => '2026-02-30T10:00',
  isSortable: true,
  filter: { schemaCode: () => 'field.datetime()', range: 'datetime-local' },
  label: 'with --label',
  isDate: true,
}
