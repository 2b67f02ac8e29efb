import type { Request } from 'express'
import { formValues, type Refused, searched } from '../http/views/form.ts'
import type { Resource } from '../resource/resource.ts'

/** Returns the reference columns of a form. */
export const referenceColumns = ({ references, input }: Resource): string[] =>
  Object.keys(references).filter((column) => Object.hasOwn(input.shape, column))

/**
 * Returns the form to show again if the user only searched a reference: with the search button, or with Enter in the
 * search field, which submits the form. Returns null for a form to store.
 */
export function choicesForm(req: Request, resource: Resource): Refused<never> | null {
  const column = searchedColumn(req, referenceColumns(resource))
  if (column === undefined) return null
  // The browser must show the URL of the form, although another route renders it.
  req.res?.set('HX-Push-Url', 'false')
  const { _version: version } = req.body as { _version?: unknown }
  return {
    valid: false,
    status: 200,
    values: formValues(req, resource.input),
    errors: {},
    found: column,
    ...(typeof version === 'string' && { version }),
  }
}

function searchedColumn(req: Request, columns: readonly string[]): string | undefined {
  const body = (req.body ?? {}) as Record<string, unknown>
  const pressed = columns.find((column) => body['_find'] === column)
  return pressed ?? columns.find((column) => searched(req, column) !== (body[`_found_${column}`] ?? ''))
}
