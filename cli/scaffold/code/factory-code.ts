import { importLine, literal, sortedImports } from './snippets.ts'
import { requiredFields, targetsOf } from './columns.ts'
import { exampleCode, exampleValue, helpersOf } from './examples.ts'
import type { Field, Target } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { withArticle } from '../read/names.ts'

/** The variables of the factory's template. */
export function factoryData(model: Model): object {
  const { names } = model
  const required = requiredFields(model)
  const parents = required.filter(({ target }) => target)
  const valued = valuedFields(model, required)
  const values = valued.map((field) => `${field.column}: ${valueOf(model, field)}`)
  return {
    names,
    imports: sortedImports([...helperImport(valued), ...targetsOf(parents).map(importOf)]),
    sentence: sentenceOf(model, parents),
    counts: values.some((entry) => /\bn\b/.test(entry)),
    parents: parents.map(({ column, target }) => `${column} = (await make${target?.names.resource}()).id`),
    entries: [
      ...values,
      ...parents.map(({ column }) => column),
      parents.length > 0 ? '...rest' : '...values',
    ],
  }
}

function valuedFields({ readers, fields }: Model, required: readonly Field[]): readonly Field[] {
  const when = typeof readers === 'object' ? readers.when : null
  const valued = fields.filter((field) => field === when || (required.includes(field) && !field.target))
  // Without required fields, set one anyway: a row of defaults only looks like a mistake.
  return required.length > 0 || valued.length > 0
    ? valued
    : fields.slice(0, 1).filter(({ target }) => !target)
}

/** A different value for each record, except for enums, which get the same value. */
const valueOf = ({ readers }: Model, field: Field) => {
  if (typeof readers === 'object' && readers.when === field) return 'true'
  return field.values ? literal(exampleValue(field, 1)) : exampleCode(field, 'n')
}

function helperImport(fields: readonly Field[]): string[] {
  const helpers = helpersOf(fields.filter(({ values }) => !values))
  return helpers.length === 0 ? [] : [importLine(helpers.join(', '), '#app/db/seeding.ts')]
}

const importOf = ({ names }: Target) =>
  importLine(`make${names.resource}`, `#app/${names.folder}/${names.file}.factory.ts`)

function sentenceOf({ names, readers, owner }: Model, parents: readonly Field[]): string {
  const adjective = typeof readers === 'object' ? `${readers.when.label.toLowerCase()} ` : ''
  const inserts = `Inserts ${withArticle(`${adjective}${names.human}`)}`
  if (parents.length === 0) return `${inserts} with unique values.`
  return parents.length === 1 && parents[0] === owner
    ? `${inserts}, and a user as its ${owner?.label.toLowerCase()} unless \`values\` names one.`
    : `${inserts}, and the records that it refers to unless \`values\` names them.`
}
