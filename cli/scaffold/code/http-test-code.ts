import { importLine, literal, quoted, sortedImports } from './snippets.ts'
import { choiceFields, inputFields, targetsOf } from './model-fields.ts'
import { enteredText, exampleValue } from './examples.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { hiddenLists, orderedLists } from '../many/list-test-code.ts'
import {
  parentOf,
  referencedRecords,
  targetImports,
  variableOf,
  withinData,
  withParents,
} from '../nested/seen-records.ts'
import { makesOf, sharingImport, tenantData } from '../tenants/tenant-test-code.ts'
import { withArticle } from '../read/names.ts'
import { fieldsWithin } from '../unique-within/unique-within.ts'
import { refusedAmounts } from '../money/amounts-code.ts'
import { computedStored } from '../computed/computed.ts'
import { filterData } from './filter-test-code.ts'
import { parityOf, readersData } from './readers-code.ts'

/** The `n` of `exampleValue` in the tests. Factories use smaller ones. With an odd `n`, a checkbox is checked. */
const FIRST = 51
const SECOND = 52

/** The variables of the HTTP test's template. */
export function httpTestData(model: Model) {
  const { names, owner, id, version, api, fields } = model
  const [input, within] = [inputFields(model), withinData(model)]
  const changed = input.filter(({ target, type }) => !target && !type.isCheckbox).slice(0, 1)
  return {
    names,
    ...readersData(model),
    ...invalidData(input),
    imports: importsOf(model),
    owned: owner,
    tenant: tenantData(model),
    makes: makesOf(model) + parentOf(model),
    within,
    editors: model.editors,
    parity: parityOf(model),
    writer: owner ? 'owner' : 'admin',
    other: owner ? 'stranger' : 'member',
    idType: id === 'uuid' ? 'string' : 'number',
    version,
    api,
    parents: referencedRecords(model),
    typed: typedPairs(input, FIRST).join(', '),
    stored: storedPairs(input, FIRST).join(', '),
    changedTyped: [
      '...form',
      ...typedPairs(changed, SECOND),
      ...(version ? [`_version: String(${names.record}.version)`] : []),
      "_method: 'PUT'",
    ].join(', '),
    changedStored: [
      '...values',
      ...storedPairs(changed, SECOND),
      ...versionStored(model, changed),
      ...computedStored(fields),
    ].join(', '),
    change: changeOf(input),
    uniques: model.fromTable !== undefined || fields.some(({ unique }) => unique),
    unique: input.filter(({ unique, target }) => unique && !target).map(uniqueConflict(input)),
    references: visibleReferences(model),
    ordered: orderedLists(
      model,
      owner ? { writer: 'owner', other: 'owner' } : { writer: 'admin', other: 'member' },
    ),
    amounts: refusedAmounts(model),
    lists: hiddenLists(model).map((list) => ({ ...list, variable: variableOf(list.target) })),
    // Long enough for a script.
    hostile: input.find(({ type, max = Infinity }) => type.acceptsAnyText && max >= 25) ?? null,
    forbidden: forbiddenOf(model, input).map(quoted).join(', '),
    ...filterData(model, { found: FIRST, other: SECOND }),
    pageParameters: pageParametersOf(model).map(quoted).join(', '),
  }
}

/** The form of a resource with only checkboxes and references may equal the stored values: then the version remains. */
function versionStored({ version }: Model, changed: readonly Field[]): string[] {
  if (!version) return []
  return [changed.length > 0 ? 'version: 2' : 'version: expect.any(Number) as number']
}

/** Returns false for a reference to the resource itself, which the tests leave empty. */
const isFilled = ({ target }: Field) => !target?.isSelf

function typedPairs(input: readonly Field[], n: number): string[] {
  return input.filter(isFilled).flatMap((field) => {
    const id = field.target?.id === 'uuid' ? parentId(field) : `String(${parentId(field)})`
    const typed = field.target ? id : quoted(enteredText(field, n))
    return typed === "''" ? [] : [`${field.column}: ${typed}`]
  })
}

const storedPairs = (input: readonly Field[], n: number): string[] =>
  input.filter(isFilled).map((field) => `${field.column}: ${storedCode(field, n)}`)

function storedCode(field: Field, n: number): string {
  if (field.type.isList) return `[${parentId(field)}]`
  return field.target ? parentId(field) : literal(exampleValue(field, n))
}

const parentId = ({ target }: Field) => (target?.isUser ? 'admin.user.id' : `${variableOf(target)}.id`)

const visibleReferences = (model: Model) =>
  choiceFields(model)
    .filter(isFilled)
    .map(({ column, target }) => ({ column, target: target?.names.type }))

function importsOf(model: Model): string[] {
  const targets = withParents(model, targetsOf(choiceFields(model)))
  const helpers = [
    ...(parityOf(model) !== null || withinData(model)?.hidden ? ['expectParity'] : []),
    ...(targets.some(({ isUser }) => !isUser) ? ['ownedBy'] : []),
  ]
  return sortedImports([
    "import { testApp } from '#app/test/test-app.ts'",
    ...sharingImport(model),
    ...(helpers.length > 0 ? [importLine(helpers.join(', '), 'pergola/testing')] : []),
    ...targetImports(targets),
  ])
}

/** Returns the change that the test of the API makes: `title: 'Title 52'`; empty if no field can be changed. */
function changeOf(input: readonly Field[]): string {
  const field = input.find(({ target }) => !target)
  return field ? `${field.column}: ${literal(exampleValue(field, SECOND))}` : ''
}

const uniqueConflict = (input: readonly Field[]) => (field: Field) => ({
  column: field.column,
  aColumn: withArticle(field.column),
  given: [literal(exampleValue(field, SECOND)), ...storedPairs(fieldsWithin(input, field), FIRST)].join(', '),
  typed: quoted(enteredText(field, SECOND)),
})

function invalidData(input: readonly Field[]) {
  const plain = input.filter(({ type }) => type.keepsEnteredText ?? type.isSearchable)
  const keeps = plain.length > 1
  const invalid = input.flatMap((field) => {
    const typed = field.type.invalidText(field)
    if (typed === null) return []
    const kept = keeps ? plain.find((other) => other !== field) : undefined
    const long = typed.length > 30 ? `${quoted(typed.charAt(0))}.repeat(${typed.length})` : quoted(typed)
    const texts = [quoted(field.column), long, ...(kept ? [quoted(enteredText(kept, FIRST))] : [])]
    return [`[${texts.join(', ')}]`]
  })
  return { invalid, invalidParameters: keeps ? 'field, typed, kept' : 'field, typed', keeps }
}

/** Returns the columns that clients may not write, and a column that does not exist. */
function forbiddenOf({ fields, tenant }: Model, input: readonly Field[]): string[] {
  const others = fields.filter((field) => !input.includes(field)).map(({ column }) => column)
  const unknown = fields.some(({ column }) => column === 'colour') ? 'something_else' : 'colour'
  return ['id', ...(tenant ? [tenant.column] : []), ...others, 'created_at', unknown]
}

const pageParametersOf = ({ cursor }: Model): string[] =>
  cursor === null
    ? ['page=abc&size=200', 'page=0', 'page[a]=%zz', 'sort=up&dir=7']
    : ['cursor=abc&size=200', 'cursor[a]=%zz', 'size=0', 'sort=up&dir=7']
