import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { numbered } from './text-examples.ts'

export const email: FieldType = {
  name: 'email',
  sqlType: () => 'text',
  tsType: () => 'string',
  schemaCode: () => 'field.email()',
  schema: () => field.email(),
  inputOptions: () => ["type: 'email'"],
  detailMarkup: (value) => `<a href="mailto:<%= ${value} %>"><%= ${value} %></a>`,
  example: () => numbered('someone', '@example.org'),
  invalidText: () => 'nobody',
  isSortable: true,
  label: 'second choice',
  isSearchable: true,
}
