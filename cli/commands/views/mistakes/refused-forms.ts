import { type DeclaredForm, textsIn } from '../declared-forms.ts'
import type { SourceOf, ViewSource } from '../view-source.ts'
import { hasText } from './broken-forms.ts'
import type { Mistake } from './unbalanced.ts'

/** Returns what makes the application refuse each form of a resource: options that an enum lacks, and a missing version. */
export function refusedForms(
  view: ViewSource,
  forms: ReadonlyMap<string, DeclaredForm>,
  sourceOf: SourceOf,
): Mistake[] {
  const [, name = ''] = /\bform: FormOf<typeof (\w+)>/.exec(view.source) ?? []
  const form = forms.get(name)
  return form === undefined ? [] : [...unknownOptions(view, form), ...missingVersion(view, form, sourceOf)]
}

const FIELD = /^include\('\/partials\/field', \{.*\bname: '(\w+)'.*\boptions: \[((?:\[[^\]]*\](?:,\s*)?)+)\]/

const unknownOptions = ({ parts }: ViewSource, { enums }: DeclaredForm): Mistake[] =>
  parts.flatMap((part) => {
    const [, field = '', pairs = ''] = FIELD.exec(part?.code ?? '') ?? []
    const values = enums.get(field)
    const options = [...pairs.matchAll(/\[('[^']*')/g)].flatMap(([, value = '']) => textsIn(value))
    const unknown = options.find((option) => option !== '' && values?.includes(option) === false)
    return unknown === undefined
      ? []
      : [
          {
            start: part?.start ?? 0,
            message: `${field} has no value '${unknown}'. It has ${values?.join(', ')}.`,
          },
        ]
  })

function missingVersion({ source }: ViewSource, { hasVersion }: DeclaredForm, sourceOf: SourceOf): Mistake[] {
  const start = source.indexOf("include('/partials/form_attributes'")
  const isUpdate = /name="_method" value="PUT"|\bit\.method\b|include\('\/partials\/submit', it\)/.test(
    source,
  )
  if (!hasVersion || start === -1 || !isUpdate || hasText(source, 'name="_version"', sourceOf)) return []
  return [
    { start, message: "The form has no version of the record: include('/partials/version', { form })." },
  ]
}
