import type { Request } from 'express'
import { formValues, type Refused, searched } from '../http/views/form.ts'
import type { Resource } from '../resource/resource.ts'

/** Returns the reference columns of a form. */
export const referenceColumns = ({ references, input }: Resource): string[] =>
  Object.keys(references).filter((column) => Object.hasOwn(input.shape, column))

/**
 * Returns the form to show again if the user only searched a reference, with the search button or with Enter in the
 * search field, which submits the form, or moved a chosen record. Returns null for a form to store.
 */
export function choicesForm(req: Request, resource: Resource): Refused<never> | null {
  const column = searchedColumn(req, referenceColumns(resource))
  const move = moveOf(req, resource)
  if (column === undefined && move === null) return null
  // The browser must show the URL of the form, although another route renders it.
  req.res?.set('HX-Push-Url', 'false')
  const { _version: version } = req.body as { _version?: unknown }
  const values = formValues(req, resource.input)
  return {
    valid: false,
    status: 200,
    values: move === null ? values : { ...values, [move.column]: withMove(values[move.column], move) },
    errors: {},
    ...(column !== undefined && { found: column }),
    ...(move !== null && { move: move.button }),
    ...(typeof version === 'string' && { version }),
  }
}

function searchedColumn(req: Request, columns: readonly string[]): string | undefined {
  const body = (req.body ?? {}) as Record<string, unknown>
  const pressed = columns.find((column) => body['_find'] === column)
  return pressed ?? columns.find((column) => searched(req, column) !== (body[`_found_${column}`] ?? ''))
}

/** A chosen record, and the number of places by which it moves. */
interface Move {
  /** The value of the button: `up:tag_ids:7`. */
  readonly button: string
  readonly column: string
  readonly id: string
  readonly step: number
}

const STEPS = new Map([
  ['up', -1],
  ['down', 1],
])

function moveOf(req: Request, resource: Resource): Move | null {
  const { _move: button } = (req.body ?? {}) as { _move?: unknown }
  if (typeof button !== 'string') return null
  const [way = '', column = '', id = ''] = button.split(':')
  const step = STEPS.get(way)
  const isList = referenceColumns(resource).includes(column) && resource.joins[column]?.isOrdered
  return step !== undefined && isList ? { button, column, id, step } : null
}

/** Returns the list with the chosen record before its predecessor, or behind its successor. */
function withMove(list: unknown, { id, step }: Move): unknown {
  const ids = [list].flat()
  const from = ids.indexOf(id)
  const to = from + step
  if (from === -1 || to < 0) return ids
  return ids.toSpliced(from, 1).toSpliced(to, 0, id)
}
