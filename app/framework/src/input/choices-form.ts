import type { Request } from 'express'
import { type FormState, formValues, type Refused, searched } from '../http/form.ts'
import type { Resource } from '../resource/resource.ts'

/** The columns of a form that lead to other records. */
export const referenceColumns = ({ references, input }: Resource): string[] =>
  Object.keys(references).filter((column) => Object.hasOwn(input.shape, column))

/**
 * The form as it was sent, when it was sent to find records to choose from: by the button beside the search, or by Enter
 * in it, which presses the button that saves. Null for a form that is to be stored.
 */
export function choicesForm(req: Request, resource: Resource): Refused<never> | null {
  const found = searchedColumn(req, referenceColumns(resource))
  if (found === undefined) return null
  // Its page stands at the address of the form, whatever answered.
  req.res?.set('HX-Push-Url', 'false')
  const { _version: version } = req.body as { _version?: unknown }
  const values: FormState['values'] = formValues(req, resource.input)
  return {
    valid: false,
    status: 200,
    values,
    errors: {},
    found,
    ...(typeof version === 'string' && { version }),
  }
}

function searchedColumn(req: Request, columns: readonly string[]): string | undefined {
  const sent = (req.body ?? {}) as Record<string, unknown>
  const asked = columns.find((column) => sent['_find'] === column)
  return asked ?? columns.find((column) => searched(req, column) !== (sent[`_found_${column}`] ?? ''))
}
