import type { FieldType } from './field-type.ts'

/** An object or a list. */
export const json: FieldType = {
  name: 'json',
  aliases: ['jsonb', 'map', 'object'],
  rejects: {
    unique: "A json field can't be unique.",
    index: 'A json field can be too long for an index. Remove :index.',
  },
  sqlType: () => 'jsonb',
  valueOfExistingRows: "sql`'{}'::jsonb`",
  tsType: () => 'Json',
  frameworkType: 'Json',
  inputOptions: () => ['rows: 6'],
  hint: () => 'JSON: an object in { } or a list in [ ].',
  detailMarkup: (value) => `<pre><%= JSON.stringify(${value}, null, 2) %></pre>`,
  example: () => ({
    value: (n) => ({ example: n }),
    code: (n) => `{ example: ${n} }`,
    entered: (n) => `{ "example": ${n} }`,
  }),
  fakeCode: () => '{ note: faker.word.words(3) }',
  invalidText: () => '{"open":',
  isTooLongForLists: true,
}
