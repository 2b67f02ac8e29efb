import type { SourceOf, ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Returns the mistakes of a view's forms that a browser doesn't report. */
export const brokenForms = (view: ViewSource, sourceOf: SourceOf): Mistake[] => [
  ...misspeltControls(view, sourceOf),
  ...innerForms(view, sourceOf),
  ...missingProblem(view, sourceOf),
]

/** The fields that a view, or one that it includes, declares in `FormState<'email' | 'password'>`, or passes to partials. */
const fieldsIn = (source: string): string[] =>
  [...source.matchAll(/\bFormState<([^>]*)>|\bfields: \[([^\]]*)\]|\bname: ('\w+')/g)].flatMap((found) =>
    [
      ...found
        .slice(1)
        .join()
        .matchAll(/'([^']+)'/g),
    ].map(([, name = '']) => name),
  )

const included = (source: string, sourceOf: SourceOf): string =>
  includedIn(source)
    .filter((view) => !view.startsWith('partials/'))
    .map(sourceOf)
    .join('')

/** Returns the controls with a misspelt name. Names are written by hand here, and those of partials have a type. */
function misspeltControls({ source }: ViewSource, sourceOf: SourceOf): Mistake[] {
  const fields = fieldsIn(source + included(source, sourceOf))
  return [...source.matchAll(/<(?:input|select|textarea|button)\b[^>]*?\sname="([a-z]\w{3,})"/g)].flatMap(
    ({ 0: text, 1: name = '', index }) => {
      const best = fields.includes(name) ? undefined : fields.find((field) => isMisspelt(name, field))
      return best === undefined
        ? []
        : {
            start: index + text.length - name.length - 1,
            message: `The form has no field ${name}. Did you mean ${best}?`,
          }
    },
  )
}

/** Whether one letter is missing, superfluous or another one, or two are swapped. A plural is a word of its own. */
function isMisspelt(name: string, field: string): boolean {
  if (`${name}s` === field || `${field}s` === name) return false
  let at = 0
  while (at < name.length && name[at] === field[at]) at++
  const [rest, other] = [name.slice(at), field.slice(at)]
  const isSwapped = rest[0] === other[1] && rest[1] === other[0] && rest.slice(2) === other.slice(2)
  return isSwapped || rest.slice(1) === other.slice(1) || rest.slice(1) === other || rest === other.slice(1)
}

/** Returns the partials with a form inside of a form: browsers drop the inner tag. */
const innerForms = ({ source, parts }: ViewSource, sourceOf: SourceOf): Mistake[] =>
  parts.flatMap((part) => {
    const [, view = ''] = /^include\('\/([^']+)'/.exec(part?.code ?? '') ?? []
    const { start = 0 } = part ?? {}
    return view !== '' &&
      hasForm(view, sourceOf) &&
      isInForm(source.slice(0, source.lastIndexOf('<%', start)))
      ? { start, message: `/${view} contains a form, and is inside a form.` }
      : []
  })

/** Whether a form has begun, and its tag has ended. */
function isInForm(before: string): boolean {
  const at = before.lastIndexOf('<form')
  return (
    at > before.lastIndexOf('</form') &&
    before
      .slice(at)
      .replaceAll(/<%[^]*?%>/g, '')
      .includes('>')
  )
}

const hasForm = (view: string, sourceOf: SourceOf): boolean => hasText(sourceOf(view), '<form', sourceOf)

const includedIn = (source: string): string[] =>
  [...source.matchAll(/include\('\/([^']+)'/g)].map(([, name = '']) => name)

/** Returns a form without the element that shows its errors. */
const missingProblem = ({ source }: ViewSource, sourceOf: SourceOf): Mistake[] => {
  const start = source.indexOf("include('/partials/form_attributes'")
  const views = [...source.matchAll(/layout\('\/([^']+)'/g)].map(([, name = '']) => sourceOf(name))
  return start === -1 || [source, ...views].some((text) => hasText(text, 'id="problem"', sourceOf))
    ? []
    : [{ start, message: 'The view has no <div id="problem">, which shows the errors of the server.' }]
}

/** Whether a view, or one that it includes, contains a text. A view can include itself, so that the search ends. */
export const hasText = (source: string, text: string, sourceOf: SourceOf, depth = 3): boolean =>
  source.includes(text) ||
  (depth > 0 && includedIn(source).some((view) => hasText(sourceOf(view), text, sourceOf, depth - 1)))
