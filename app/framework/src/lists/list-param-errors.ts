import type { z } from 'zod'
import { type FieldError, HttpError, firstErrors } from '../http/errors.ts'
import { type ListUrl, paramsOf } from '../pagination/list-param.ts'
import { filterParams } from '../resource/list-filters.ts'
import type { Resource } from '../resource/resource.ts'
import { isStorableText } from '../resource/fields/storable-text.ts'

/** Returns a sentence for a value that the list would ignore; null for a valid one. */
type Check = (value: string) => string | null

/**
 * Throws a 400 with the valid names if a list of the API would ignore a parameter or its value: a program would take the
 * whole list for the filtered one. `unseen` are the columns that the caller may not filter and sort by.
 */
export function rejectIgnoredParams(req: ListUrl, resource: Resource, unseen: readonly string[] = []): void {
  const checks = checksOf(resource, unseen)
  const valid = [...checks.keys()].join(', ')
  const errors = [...paramsOf(req.originalUrl)].flatMap(([name, value]): FieldError[] => {
    const check = checks.get(name) ?? (() => `The list has no such parameter. Valid parameters: ${valid}.`)
    const message = check(value)
    return message === null ? [] : [{ field: name, messages: [message] }]
  })
  if (errors.length > 0) throw new HttpError(400, 'invalid_query', { errors: firstErrors(errors) })
}

function checksOf({ lists }: Resource, unseen: readonly string[]): Map<string, Check> {
  const isSeen = (column: string) => !unseen.includes(column)
  const sort = lists.sort.filter(isSeen)
  const filters = Object.entries(lists.filters).filter(([column]) => isSeen(column))
  return new Map<string, Check>([
    ...['page', 'size', 'cursor'].map((name) => [name, anyValue] as const),
    ...(sort.length === 0 ? [] : [['sort', columnsOf(sort)] as const, ['dir', direction] as const]),
    ...(lists.search.some(isSeen) ? [['q', searchable] as const] : []),
    ...filters.flatMap(([column, filter]) =>
      filterParams(column, filter).map(
        (param) => [param, valueOf('kind' in filter ? filter.schema : filter)] as const,
      ),
    ),
  ])
}

const anyValue: Check = () => null
const direction: Check = (value) => (value === 'asc' || value === 'desc' ? null : 'Use asc or desc.')
const searchable: Check = (value) => (isStorableText(value) ? null : 'No text contains these characters.')

const columnsOf =
  (columns: readonly string[]): Check =>
  (value) =>
    value.split(',').every((term) => columns.includes(term.replace(/^-/, '')))
      ? null
      : `The list can’t be sorted by this. Valid columns: ${columns.join(', ')}; with - for descending.`

const valueOf =
  (schema: z.ZodType): Check =>
  (value) => {
    if (!isStorableText(value)) return 'No text contains these characters.'
    const { data, error } = schema.safeParse(value)
    if (error !== undefined) return error.issues[0]?.message ?? 'This value is not valid.'
    return value === '' || data === undefined ? 'Use a value, or leave the parameter out.' : null
  }
