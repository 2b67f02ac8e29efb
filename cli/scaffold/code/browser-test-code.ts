import { formColumns } from './form-markup.ts'
import { deletedWords, quoted } from './snippets.ts'
import { inputFields } from './model-fields.ts'
import { callsHelper, enteredText, exampleCode, exampleValue } from './examples.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { listFilter } from '../many/list-test-code.ts'
import { withArticle } from '../read/names.ts'

/** The numbers of the examples that the test enters with and without JavaScript. The seed uses smaller numbers. */
const WITH = 901
const WITHOUT = 902
/** The test changes a value to the example with a number that is higher by this. */
const LATER = 2

/** The variables of the browser test's template. */
export function browserTestData(model: Model): object {
  const { names, owner, label } = model
  const input = inputFields(model)
  const filled = input.filter(({ target }) => !target?.isSelf)
  const [first] = formColumns(model).main
  const labelled = label && input.includes(label) ? label : null
  return {
    names,
    person: owner ? 'alice' : 'admin',
    aRecord: withArticle(names.human),
    // The seed already has a record for each value of a unique reference.
    writes: !model.fields.some(({ unique, target }) => unique && target),
    varies: filled.some((field) => field.unique && !field.target && !callsHelper(field)),
    fills: filled.map((field) => fillOf(input, field)),
    confirm: model.softDelete ? 'Move to the trash' : 'Delete for good',
    deleted: deletedWords(model),
    heading: labelled && typedCode(labelled),
    ...changeOf(input, labelled),
    ...refusedData(input),
    list: listFilter(model),
    // In the seed, each user has a tenant of their own.
    ordered: filled
      .filter(({ ordered, target }) => ordered && !(model.tenant && target?.isUser))
      .map((field) => ({
        humans: field.label.toLowerCase(),
        column: field.column,
        group: locatorOf(input, field),
      })),
    first: first && !first.type.isGroup ? locatorOf(input, first) : null,
  }
}

function fillOf(input: readonly Field[], field: Field): string {
  const enter = field.type.browserInput?.(field).enter
  if (field.target && !enter) return `await choose(${locatorOf(input, field)})`
  return `await ${locatorOf(input, field)}.${enter ?? `fill(${typedCode(field)})`}`
}

/** Returns code for the text to enter. For a unique field, the texts with and without JavaScript differ. */
function typedCode(field: Field, later = 0): string {
  const typed = (n: number) => quoted(enteredText(field, n + later))
  if (!field.unique) return typed(WITH)
  if (callsHelper(field)) return `javaScriptEnabled ? ${typed(WITH)} : ${typed(WITHOUT)}`
  const code = exampleCode(field, later === 0 ? 'n' : `(n + ${later})`)
  return typeof exampleValue(field, WITH) === 'string' ? code : `String(${code})`
}

/** Returns code for a locator: `page.getByLabel('Title')`. */
function locatorOf(input: readonly Field[], field: Field): string {
  if (field.type.isGroup) return `page.getByRole('group', { name: ${quoted(field.label)}, exact: true })`
  // The labels of checkboxes are those of records, which may contain the label of a field.
  const isPart = input.some(
    (other) =>
      other.type.isGroup ||
      ((other !== field || other.target) && other.label.toLowerCase().includes(field.label.toLowerCase())),
  )
  return `page.getByLabel(${quoted(field.label)}${isPart ? ', { exact: true }' : ''})`
}

/** Returns code that changes the label field, or the first other field. */
function changeOf(input: readonly Field[], label: Field | null) {
  const field = label ?? input.find(({ target }) => !target)
  if (field === undefined) return { change: null, changedHeading: null }
  const locator = `await ${locatorOf(input, field)}`
  const choice = field.type.browserInput?.(field).change
  if (choice !== undefined) return { change: `${locator}.${choice}`, changedHeading: null }
  const typed = typedCode(field, LATER)
  return { change: `${locator}.fill(${typed})`, changedHeading: label && typed }
}

/** Returns code for a field with text that the server rejects, and for another field whose text must be kept. */
function refusedData(input: readonly Field[]) {
  const empty = input.find(({ nullable, default: usual }) => !nullable && usual === undefined)
  const wrong = empty ?? input.find(({ type }) => type.isSearchable)
  if (wrong === undefined) return { refused: null, kept: null }
  const kept = input.find((field) => field !== wrong && field.type.isSearchable)
  const typed = empty ? null : wrong.type.invalidText(wrong)
  return {
    refused: {
      locator: locatorOf(input, wrong),
      fill: typed && `await ${locatorOf(input, wrong)}.fill('${typed.charAt(0)}'.repeat(${typed.length}))`,
    },
    kept: kept ? { locator: locatorOf(input, kept), typed: quoted(enteredText(kept, WITH)) } : null,
  }
}
