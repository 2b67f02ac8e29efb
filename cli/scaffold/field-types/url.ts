import { field } from 'pergola'
import type { FieldType } from './field-type.ts'
import { numbered } from './text-examples.ts'

/** The address of a web page. */
export const url: FieldType = {
  name: 'url',
  schema: () => field.url(),
  inputOptions: () => ["type: 'url'"],
  detailMarkup: (value) => `<a href="<%= ${value} %>" rel="noopener noreferrer"><%= ${value} %></a>`,
  example: () => numbered('https://example.org/'),
  fakeCode: ({ unique }) => `\`https://example.org/\${faker.lorem.slug()}${unique ? '-${n}' : ''}\``,
  invalidText: () => 'javascript:alert(1)',
  isSortable: true,
  label: 'with --label',
  isSearchable: true,
}
