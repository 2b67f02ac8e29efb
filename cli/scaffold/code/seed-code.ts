import { constantOf, importLine, sortedImports } from './snippets.ts'
import { requiredFields, targetsOf } from './model-fields.ts'
import { exampleValue, realisticCode, type ValueCode } from './examples.ts'
import type { Field, Target } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { capital, type Names } from '../read/names.ts'

/** The number of rows. Each of the three demo users then has records on a second page. */
const MOST = 75

/** The variables of the seed's template: a value for every field that pages show. */
export function seedData(model: Model): object {
  const { names, fields, owner } = model
  const required = requiredFields(model)
  const filled = fields.filter(
    (field) => !field.target?.isSelf && !field.computed && (!field.private || required.includes(field)),
  )
  const references = filled.filter(({ target }) => target)
  const parents = targetsOf(references).filter(({ isUser }) => !isUser)
  const { tenant } = model
  const usesUsers = references.some(({ target }) => target?.isUser)
  const constants = filled.filter(({ values }) => values).map(constantOf)
  const values = filled.map((field) => ({ column: field.column, ...valueOf(model, field) }))
  const usesFaker = values.some(({ usesFaker }) => usesFaker)
  return {
    names,
    Many: capital(names.many),
    imports: importsOf(model, parents, values),
    usesFaker,
    constants: constants.toSorted(),
    ...counting(filled, names),
    sentence: `Inserts ${referredToOnce(filled).length === 0 ? '' : 'up to '}${mostOf(filled, names)} ${names.humans}, one per day${tenant ? ` in the ${tenant.names.human} of each user` : ''}${owner ? `, with these users in turn as ${owner.label.toLowerCase()}` : ''}.`,
    parameter: usesUsers || tenant ? 'userIds: readonly number[]' : '',
    tenant: tenant && {
      walk: `forEach${tenant.names.resource}`,
      parameters: usesUsers ? `${tenant.column}, userIds` : tenant.column,
    },
    parents: parents.map((target) => ({
      ids: idsOf(target),
      many: target.names.many,
      required: required.some((field) => field.target?.names.table === target.names.table),
    })),
    entries: [...(tenant ? [tenant.column] : []), ...values.map(({ column, code }) => `${column}: ${code}`)],
  }
}

/** Returns code for the number of rows: less than MOST if a unique field or a name has fewer distinct values or targets. */
function counting(filled: readonly Field[], names: Names): { count: string; limit: string | null } {
  const most = mostOf(filled, names)
  const lengths = referredToOnce(filled).map(
    (target) => `${target.isUser ? 'userIds' : idsOf(target)}.length`,
  )
  return lengths.length === 0
    ? { count: String(most), limit: null }
    : { count: 'count', limit: `Math.min(${most}, ${lengths.join(', ')})` }
}

const mostOf = (filled: readonly Field[], names: Names): number =>
  Math.min(
    MOST,
    ...filled.filter(({ unique, target }) => unique && !target).map(different),
    ...filled.flatMap((field) => field.type.fakeLimit?.(field, names) ?? []),
  )

const referredToOnce = (filled: readonly Field[]): Target[] =>
  targetsOf(filled.filter(({ unique }) => unique))

const idsOf = ({ names }: Target) => `${names.record}Ids`

/** Returns the number of distinct values among the first MOST examples. */
const different = (field: Field): number =>
  new Set(Array.from({ length: MOST }, (_, index) => exampleValue(field, index + 1))).size

const fake = (code: string): ValueCode => ({ code, usesFaker: true, helper: undefined })

/**
 * Returns code of a value for the nth record. Only unique columns and the owner use `inTurn`, so that combinations
 * vary.
 */
function valueOf({ names, owner, readers }: Model, field: Field): ValueCode {
  const { target, nullable, unique } = field
  if (target) {
    const ids = target.isUser ? 'userIds' : idsOf(target)
    if (field.type.isList) return fake(`faker.helpers.arrayElements(${ids}, { min: 0, max: 3 })`)
    if (unique || field === owner) return { code: `inTurn(${ids}, n)`, usesFaker: false, helper: 'inTurn' }
    return fake(`faker.helpers.arrayElement(${nullable ? `[null, ...${ids}]` : ids})`)
  }
  // Most records are public.
  const isWhen = typeof readers === 'object' && readers.when === field
  if (isWhen) return fake('faker.datatype.boolean(0.7)')
  const unused = field.type.seedCode?.(field, names) ?? null
  return unused === null ? realisticCode(field, names) : { ...unused, usesFaker: true }
}

function importsOf({ tenant }: Model, parents: readonly Target[], values: readonly ValueCode[]): string[] {
  const helpers = new Set([
    'daysAgo',
    ...(parents.length > 0 ? ['firstIds'] : []),
    ...(values.some(({ usesFaker }) => usesFaker) ? ['seededFaker'] : []),
    ...values.flatMap(({ helper }) => helper ?? []),
  ])
  return sortedImports([
    importLine([...helpers].toSorted().join(', '), '#app/db/seeding.ts'),
    ...(tenant
      ? [importLine(`forEach${tenant.names.resource}`, `#app/${tenant.names.folder}/${tenant.names.file}.ts`)]
      : []),
    ...parents.map(({ names }) => importLine(names.many, `#app/${names.folder}/${names.file}.repository.ts`)),
  ])
}
