import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { digits } from './text-examples.ts'

export const uuid: FieldType = {
  name: 'uuid',
  sqlType: () => 'uuid',
  schema: () => field.uuid(),
  example: () => digits(12, '00000000-0000-4000-8000-'),
  fakeCode: () => 'faker.string.uuid()',
  invalidText: () => 'not-a-uuid',
  isCursor: true,
  label: 'with --label',
}
