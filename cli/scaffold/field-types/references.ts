import type { Problems } from '../read/command-line-problems.ts'
import type { Field, FieldType, FieldWords, IdKind, Limits } from './field-type.ts'

/** The id of another record: `author:references:user`. */
export const references: FieldType = {
  name: 'references',
  aliases: ['belongs_to', 'reference'],
  isReference: true,
  readLimits: readOnDelete,
  check,
  sqlType: ({ target }) => target?.id ?? 'bigint',
  tsType: ({ target }) => ID_TYPES[target?.id ?? 'bigint'],
  schemaCode: referenceCode,
  inputOptions: ({ column, nullable }) => [
    `choices: choices.${column}`,
    ...(nullable ? ['optional: true'] : []),
  ],
  invalidText: () => '0',
  filter: { schemaCode: referenceCode, hasChoices: true },
}

/** The TypeScript type of an id. */
export const ID_TYPES: Readonly<Record<IdKind, string>> = { bigint: 'number', uuid: 'string' }

function referenceCode({ target }: Field): string {
  return `field.reference(${target?.id === 'uuid' ? "'uuid'" : ''})`
}

const ON_DELETE: Readonly<Record<string, NonNullable<Field['onDelete']>>> = {
  restrict: 'restrict',
  cascade: 'cascade',
  null: 'set null',
}

/** Parses the action for the deletion of the referenced record: `{cascade}`. */
function readOnDelete({ constraints }: FieldWords, problems: Problems): Limits {
  const part = problems.once(constraints)
  if (part === null) return { onDelete: 'restrict' }
  const action = Object.hasOwn(ON_DELETE, part.text) ? ON_DELETE[part.text] : undefined
  if (action !== undefined) return { onDelete: action }
  problems.add(
    part,
    'Choose the action for the deletion of the other record: {restrict}, {cascade} or {null}.',
  )
  return {}
}

function check({ onDelete, nullable, target }: Field, words: FieldWords, problems: Problems): void {
  const [part] = words.constraints
  if (part && onDelete === 'set null' && !nullable)
    problems.add(part, 'Only a nullable field can become null: add ? or :null.')
  if (target?.isSelf && !nullable)
    problems.add(
      words.name,
      'The first record can’t refer to another record. Make the field nullable with ? or :null.',
    )
}
