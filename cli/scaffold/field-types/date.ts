import { nthDay } from '#app/db/seeding.ts'
import { field } from 'pergola'
import { fakeDay } from './fake-days.ts'
import type { FieldType } from './field-type.ts'

/** A date: `2026-01-31`. */
export const date: FieldType = {
  name: 'date',
  sqlType: () => 'date',
  schema: () => field.date(),
  inputOptions: () => ["type: 'date'"],
  markup: (value) => `<time datetime="<%= ${value} %>"><%= it.formatDate(${value}) %></time>`,
  example: () => ({ value: nthDay, code: (n) => `nthDay(${n})`, helper: 'nthDay' }),
  fakeCode: (field) => fakeDay(field, 'dayBetween'),
  invalidText: () => '2026-02-30',
  isSortable: true,
  filter: { schemaCode: () => 'field.date()', range: 'date' },
  label: 'with --label',
  keepsEnteredText: true,
  isDate: true,
}
