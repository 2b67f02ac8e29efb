import { deletedWords, quoted } from './code.ts'
import { inputFields } from './columns.ts'
import { exampleCode } from './examples.ts'
import type { Field, Model } from '../model.ts'
import { withArticle } from '../read/names.ts'
import { invalidTyped, typedValue } from './typed-examples.ts'

/** Beyond what the seed wrote; with JavaScript and without run at once. */
const WITH = 901
const WITHOUT = 902
/** How much further on what is typed for a change is. */
const LATER = 2

/** What the template of the browser test needs to know: how each field is filled in, and what a page shows then. */
export function browserTestData(model: Model): object {
  const { names, owner, label } = model
  const input = inputFields(model)
  const filled = input.filter(({ target }) => !target?.isSelf)
  const labelled = label && input.includes(label) ? label : null
  return {
    names,
    person: owner ? 'alice' : 'admin',
    aRecord: withArticle(names.human),
    // Of what may lead to each record once, the seed has had them all.
    writes: !model.fields.some(({ unique, target }) => unique && target),
    varies: filled.some(({ unique, type }) => unique && !PICKED.has(type)),
    fills: filled.map((field) => fillOf(input, field)),
    confirm: model.softDelete ? 'Move to the trash' : 'Delete for good',
    deleted: deletedWords(model),
    heading: labelled && typedCode(labelled),
    ...changeOf(input, labelled),
    ...refusedData(input),
    first: input[0] ? locatorOf(input, input[0]) : null,
  }
}

function fillOf(input: readonly Field[], field: Field): string {
  const { type, nullable, target, values = [] } = field
  const locator = `await ${locatorOf(input, field)}`
  if (target) return `${locator}.selectOption({ index: 1 })`
  if (type === 'enum') return `${locator}.selectOption(${quoted(values[0] ?? '')})`
  if (type === 'boolean') return nullable ? `${locator}.selectOption('true')` : `${locator}.check()`
  return `${locator}.fill(${typedCode(field)})`
}

/** What is typed, as code. What must not be there twice is another with JavaScript than without. */
function typedCode(field: Field, later = 0): string {
  const typed = (n: number) => quoted(typedValue(field, n + later))
  if (!field.unique) return typed(WITH)
  if (PICKED.has(field.type)) return `javaScriptEnabled ? ${typed(WITH)} : ${typed(WITHOUT)}`
  const code = exampleCode(field, later === 0 ? 'n' : `(n + ${later})`)
  return TEXTS.has(field.type) ? code : `String(${code})`
}

/** What a picker types has no shorter code than what it is. */
const PICKED = new Set(['date', 'time', 'datetime'])
const TEXTS = new Set(['string', 'text', 'slug', 'email', 'url', 'uuid', 'bigint', 'decimal'])

/** Its field in the form, by its label. */
function locatorOf(input: readonly Field[], field: Field): string {
  const isPart = input.some(
    (other) =>
      (other !== field || other.target) && other.label.toLowerCase().includes(field.label.toLowerCase()),
  )
  return `page.getByLabel(${quoted(field.label)}${isPart ? ', { exact: true }' : ''})`
}

/** A change that shows: of its name where it has one, else of whatever else there is. */
function changeOf(input: readonly Field[], label: Field | null) {
  const field = label ?? input.find(({ target }) => !target)
  if (field === undefined) return { change: null, changedHeading: null }
  const locator = `await ${locatorOf(input, field)}`
  if (field.type === 'boolean' && !field.nullable)
    return { change: `${locator}.uncheck()`, changedHeading: null }
  const isChoice = field.type === 'boolean' || field.type === 'enum'
  const typed = typedCode(field, LATER)
  const change = isChoice ? fillOf(input, field) : `${locator}.fill(${typed})`
  return { change, changedHeading: label && typed }
}

const EDITABLE = new Set(['string', 'text', 'email', 'url', 'slug'])

/** A field that refuses what a browser lets one type, and another whose value is to stay. */
function refusedData(input: readonly Field[]) {
  const empty = input.find(
    ({ type, nullable, default: usual }) => !nullable && usual === undefined && type !== 'boolean',
  )
  const wrong = empty ?? input.find(({ type }) => EDITABLE.has(type))
  if (wrong === undefined) return { refused: null, kept: null }
  const kept = input.find((field) => field !== wrong && EDITABLE.has(field.type))
  const typed = empty ? null : invalidTyped(wrong)
  return {
    refused: {
      locator: locatorOf(input, wrong),
      fill: typed && `await ${locatorOf(input, wrong)}.fill('${typed.charAt(0)}'.repeat(${typed.length}))`,
    },
    kept: kept ? { locator: locatorOf(input, kept), typed: quoted(typedValue(kept, WITH)) } : null,
  }
}
