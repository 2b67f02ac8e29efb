import { constantOf, importLine, sortedImports } from './snippets.ts'
import { requiredFields, targetsOf } from './columns.ts'
import { exampleCode, exampleValue, helpersOf } from './examples.ts'
import type { Field, Target } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { capital } from '../read/names.ts'

/** Enough to give each of the three demo users a second page. */
const MOST = 75

/** The variables of the seed's template: a value for every field that pages show. */
export function seedData(model: Model): object {
  const { names, fields, owner } = model
  const required = requiredFields(model)
  const filled = fields.filter(
    (field) => !field.target?.isSelf && (!field.private || required.includes(field)),
  )
  const references = filled.filter(({ target }) => target)
  const parents = targetsOf(references).filter(({ isUser }) => !isUser)
  const usesUsers = references.some(({ target }) => target?.isUser)
  const constants = filled.filter(({ values }) => values).map(constantOf)
  const entries = filled.map((field) => `${field.column}: ${valueOf(model, field)}`)
  return {
    names,
    Many: capital(names.many),
    imports: importsOf(parents, filled),
    constants: constants.toSorted(),
    ...counting(filled),
    sentence: `Inserts ${sizeOf(filled)} ${names.humans}, one per day${owner ? `, with these users in turn as ${owner.label.toLowerCase()}` : ''}.`,
    parameter: usesUsers ? 'userIds: readonly number[]' : '',
    parents: parents.map((target) => ({
      ids: idsOf(target),
      many: target.names.many,
      required: required.some((field) => field.target?.names.table === target.names.table),
    })),
    entries,
  }
}

/** How many rows to insert: fewer than MOST if a unique field has fewer distinct values or targets. */
function counting(filled: readonly Field[]): { count: string; limit: string | null } {
  const most = mostOf(filled)
  const lengths = referredToOnce(filled).map(
    (target) => `${target.isUser ? 'userIds' : idsOf(target)}.length`,
  )
  return lengths.length === 0
    ? { count: String(most), limit: null }
    : { count: 'count', limit: `Math.min(${most}, ${lengths.join(', ')})` }
}

const sizeOf = (filled: readonly Field[]): string =>
  `${referredToOnce(filled).length === 0 ? '' : 'up to '}${mostOf(filled)}`

const mostOf = (filled: readonly Field[]): number =>
  Math.min(MOST, ...filled.filter(({ unique, target }) => unique && !target).map(different))

const referredToOnce = (filled: readonly Field[]): Target[] =>
  targetsOf(filled.filter(({ unique }) => unique))

const idsOf = ({ names }: Target) => `${names.record}Ids`

/** How many distinct values the first MOST examples have. */
const different = (field: Field): number =>
  new Set(Array.from({ length: MOST }, (_, index) => exampleValue(field, index + 1))).size

function valueOf({ readers, names, label }: Model, field: Field): string {
  const { target, nullable } = field
  if (target?.isUser) return 'inTurn(userIds, n)'
  if (target && nullable) return `inTurn([null, ...${idsOf(target)}], n)`
  if (target) return `inTurn(${idsOf(target)}, n)`
  // Two of three are readable by the public.
  const isWhen = typeof readers === 'object' && readers.when === field
  if (isWhen) return 'n % 3 !== 0'
  return exampleCode(field === label ? { ...field, label: names.title } : field, 'n')
}

function importsOf(parents: readonly Target[], filled: readonly Field[]): string[] {
  const helpers = [
    'daysAgo',
    ...(parents.length > 0 ? ['firstIds'] : []),
    ...new Set([...helpersOf(filled), ...filled.flatMap(({ target }) => (target ? ['inTurn'] : []))]),
  ]
  return sortedImports([
    importLine(helpers.toSorted().join(', '), '#app/db/seeding.ts'),
    ...parents.map(({ names }) => importLine(names.many, `#app/${names.folder}/${names.file}.repository.ts`)),
  ])
}
