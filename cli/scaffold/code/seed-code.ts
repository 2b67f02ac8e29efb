import { constantOf, importLine, sortedImports } from './code.ts'
import { requiredFields, targetsOf } from './columns.ts'
import { exampleCode } from './examples.ts'
import type { Field, Model, Target } from '../model.ts'
import { capital } from '../read/names.ts'

/** What the template of the seed needs to know: a value for every field that is shown. */
export function seedData(model: Model): object {
  const { names, fields, owner } = model
  const required = requiredFields(model)
  const filled = fields.filter(
    (field) => !field.target?.isSelf && (!field.private || required.includes(field)),
  )
  const references = filled.filter(({ target }) => target)
  const parents = targetsOf(references).filter(({ isUser }) => !isUser)
  const usesUsers = references.some(({ target }) => target?.isUser)
  const constants = filled.filter(({ type }) => type === 'enum').map(constantOf)
  const entries = filled.map((field) => `${field.column}: ${valueOf(model, field)}`)
  return {
    names,
    Many: capital(names.many),
    imports: importsOf(parents, entries),
    constants: constants.toSorted(),
    sentence: `Fifty ${names.humans}, a day apart${owner ? ', by these users in turn' : ''}.`,
    parameter: usesUsers ? 'userIds: readonly number[]' : '',
    parents: parents.map((target) => ({
      ids: idsOf(target),
      many: target.names.many,
      required: required.some((field) => field.target?.names.table === target.names.table),
    })),
    entries,
  }
}

const idsOf = ({ names }: Target) => `${names.one}Ids`

function valueOf({ readers }: Model, field: Field): string {
  const { target, nullable, type } = field
  if (target?.isUser) return 'inTurn(userIds, n)'
  if (target && nullable) return `inTurn([null, ...${idsOf(target)}], n)`
  if (target) return `inTurn(${idsOf(target)}, n)`
  if (type === 'enum') return `inTurn(${constantOf(field)}, n)`
  // Most of them are to be seen.
  const isWhen = typeof readers === 'object' && readers.when === field
  return isWhen ? 'n % 3 !== 0' : exampleCode(field, 'n')
}

function importsOf(parents: readonly Target[], entries: readonly string[]): string[] {
  const helpers = [
    'daysAgo',
    ...(parents.length > 0 ? ['firstIds'] : []),
    ...['inTurn', 'nthDay', 'nthMoment', 'nthTime'].filter((name) => entries.join().includes(`${name}(`)),
  ]
  return sortedImports([
    importLine(helpers.join(', '), '#app/db/seeding.ts'),
    ...parents.map(({ names }) => importLine(names.many, `#app/${names.folder}/${names.file}.repository.ts`)),
  ])
}
