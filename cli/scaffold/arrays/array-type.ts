import type { FieldType } from '../field-types/field-type.ts'

/** The properties that all types of arrays share. */
export const array = {
  isArray: true,
  features: ['arrayField', 'arrayFilter'],
  rejects: {
    nullable: 'A record may have no values: remove ? or :null.',
    unique: 'Several records may have the same values: remove ^ or :unique.',
    index: 'The filter has an index: remove :index.',
  },
  sqlType: () => 'text[]',
} satisfies Partial<FieldType>

/** Returns the markup of the values as badges, in their order. */
export const badges = (value: string, text: string): string =>
  `<% for (const one of ${value}) { %><small class="badge" dir="auto"><%= ${text} %></small> <% } %>`
