import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { numbered } from './text-examples.ts'

export const email: FieldType = {
  name: 'email',
  schema: () => field.email(),
  inputOptions: () => ["type: 'email'"],
  detailMarkup: (value) => `<a href="mailto:<%= ${value} %>"><%= ${value} %></a>`,
  example: () => numbered('someone', '@example.org'),
  fakeCode: ({ unique }) =>
    unique
      ? '`${faker.person.firstName()}.${n}@example.org`.toLowerCase()'
      : "faker.internet.email({ provider: 'example.org' }).toLowerCase()",
  invalidText: () => 'nobody',
  isSortable: true,
  label: 'second choice',
  isSearchable: true,
}
