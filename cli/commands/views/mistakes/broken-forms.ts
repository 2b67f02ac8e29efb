import { nearest } from '../../../nearest.ts'
import type { SourceOf, ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Returns the mistakes of a view's forms that a browser doesn't report. */
export const brokenForms = (view: ViewSource, sourceOf: SourceOf): Mistake[] => [
  ...misspeltControls(view, sourceOf),
  ...innerForms(view, sourceOf),
  ...withoutProblem(view, sourceOf),
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
  return [...source.matchAll(/<(?:input|select|textarea|button)\b[^>]*?\sname="([a-z]\w*)"/g)].flatMap(
    ({ 0: text, 1: name = '', index }) => {
      const best = fields.includes(name) ? null : nearest(name, fields)
      return best === null
        ? []
        : {
            start: index + text.length - name.length - 1,
            message: `The form has no field ${name}. Did you mean ${best}?`,
          }
    },
  )
}

/** Returns the partials with a form inside of a form: browsers drop the inner tag. */
const innerForms = ({ source, parts }: ViewSource, sourceOf: SourceOf): Mistake[] =>
  parts.flatMap((part) => {
    const [, view = ''] = /^include\('\/([^']+)'/.exec(part?.code ?? '') ?? []
    const { start = 0 } = part ?? {}
    const before = source.slice(0, source.lastIndexOf('<%', start))
    const inForm = /<form\b(?:(?!<\/form>)[^])*>(?:(?!<\/form>)[^])*$/.test(before)
    return view !== '' && inForm && hasForm(view, sourceOf)
      ? { start, message: `/${view} has a form, and stands in one.` }
      : []
  })

/** A view can include itself, so that the search ends. */
const hasForm = (view: string, sourceOf: SourceOf, depth = 3): boolean =>
  /<form\b/.test(sourceOf(view)) ||
  (depth > 0 && includedIn(sourceOf(view)).some((inner) => hasForm(inner, sourceOf, depth - 1)))

const includedIn = (source: string): string[] =>
  [...source.matchAll(/include\('\/([^']+)'/g)].map(([, name = '']) => name)

/** Returns a form without the place of its errors. */
const withoutProblem = ({ source }: ViewSource, sourceOf: SourceOf): Mistake[] => {
  const start = source.indexOf("include('/partials/form_attributes'")
  const views = [...source.matchAll(/(?:include|layout)\('\/([^']+)'/g)].map(([, name = '']) =>
    sourceOf(name),
  )
  return start === -1 || [source, ...views].some((text) => text.includes('id="problem"'))
    ? []
    : [{ start, message: 'The view has no <div id="problem">, which shows the errors of the server.' }]
}
