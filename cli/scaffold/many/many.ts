import type { Field, FieldType, FieldWords, Limits } from '../field-types/field-type.ts'
import { ID_TYPES, references } from '../field-types/references.ts'
import type { Problems } from '../read/command-line-problems.ts'

/** The ids of several other records, which a join table stores: `tags:many:tag`. */
export const many: FieldType = {
  ...references,
  name: 'many',
  aliases: ['has_many', 'many_to_many', 'habtm'],
  isList: true,
  isGroup: true,
  features: ['joinTable', 'type JoinedIds'],
  browserInput: () => ({ enter: "getByRole('checkbox').first().check()" }),
  readLimits: readOnDelete,
  rejects: {
    nullable: 'A record may have none of them: remove ? or :null.',
    unique: 'Several records may have the same ones: remove ^ or :unique.',
    index: 'Both directions have an index: remove :index.',
  },
  check: refusePrivate,
  tsType: ({ target }) => (target?.id === 'uuid' ? `JoinedIds<${ID_TYPES.uuid}>` : 'JoinedIds'),
  schemaCode: ({ target }) => `field.references(${target?.id === 'uuid' ? "'uuid'" : ''}).default([])`,
  inputOptions: ({ column }) => [`choices: choices.${column}`],
  filter: {
    schemaCode: references.schemaCode as (field: Field) => string,
    isSeveral: true,
    hasChoices: true,
  },
}

/** Parses what happens if one of the other records is deleted: `{restrict}`. */
function readOnDelete({ constraints }: FieldWords, problems: Problems): Limits {
  const part = problems.once(constraints)
  if (part === null || part.text === 'cascade') return { onDelete: 'cascade' }
  if (part.text !== 'restrict')
    problems.add(
      part,
      'Choose what the deletion of one of them does: {cascade} removes it from the lists, {restrict} refuses it.',
    )
  return { onDelete: 'restrict' }
}

function refusePrivate(_field: Field, words: FieldWords, problems: Problems): void {
  if (words.private)
    problems.add(words.private, 'The form has the choices, so they can’t be private: remove the word.')
}
