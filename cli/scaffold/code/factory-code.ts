import { importLine, literal, sortedImports } from './code.ts'
import { requiredFields, targetsOf } from './columns.ts'
import { exampleCode, exampleValue } from './examples.ts'
import type { Field, Model, Target } from '../model.ts'
import { capital, withArticle } from '../read/names.ts'

/** What the template of the factory needs to know: a value for whatever a record can't do without. */
export function factoryData(model: Model): object {
  const { names } = model
  const required = requiredFields(model)
  const parents = required.filter(({ target }) => target)
  const values = valuesOf(model, required)
  return {
    names,
    imports: sortedImports([...helpersIn(values), ...targetsOf(parents).map(importOf)]),
    sentence: sentenceOf(model, parents),
    counts: values.some((entry) => /\bn\b/.test(entry)),
    parents: parents.map(({ column, target }) => `${column} = (await make${target?.names.resource}()).id`),
    entries: [
      ...values,
      ...parents.map(({ column }) => column),
      parents.length > 0 ? '...given' : '...values',
    ],
  }
}

function valuesOf({ readers, fields }: Model, required: readonly Field[]): string[] {
  const when = typeof readers === 'object' ? readers.when : null
  const valued = fields.filter((field) => field === when || (required.includes(field) && !field.target))
  // A row of nothing but defaults can't be told from a mistake.
  const some =
    required.length > 0 || valued.length > 0 ? valued : fields.slice(0, 1).filter(({ target }) => !target)
  return some.map((field) => `${field.column}: ${field === when ? 'true' : valueOf(field)}`)
}

/** Another for each record, but for a choice, which is the same for all. */
const valueOf = (field: Field) =>
  field.type === 'enum' ? literal(exampleValue(field, 1)) : exampleCode(field, 'n')

function helpersIn(values: readonly string[]): string[] {
  const helpers = ['nthDay', 'nthMoment', 'nthTime'].filter((name) => values.join().includes(`${name}(`))
  return helpers.length === 0 ? [] : [importLine(helpers.join(', '), '#app/db/seeding.ts')]
}

const importOf = ({ names }: Target) =>
  importLine(`make${names.resource}`, `#app/${names.folder}/${names.file}.factory.ts`)

function sentenceOf({ names, readers, owner }: Model, parents: readonly Field[]): string {
  const adjective = typeof readers === 'object' ? `${readers.when.label.toLowerCase()} ` : ''
  const one = capital(withArticle(`${adjective}${names.human}`))
  if (parents.length === 0) return `${one} with values that no other has.`
  return parents.length === 1 && parents[0] === owner
    ? `${one}; a new user is its ${owner?.label.toLowerCase()} unless one is given.`
    : `${one}; what it refers to is made too unless it is given.`
}
