import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** Returns the markup of a list of ids: badges with the labels of those that the caller sees. */
export function badgesMarkup(
  { names, parent }: Model,
  { column, ordered }: Field,
  { value, labels }: { value: string; labels: string },
): string {
  // The list of a nested resource is part of a page, which has no filters.
  const list = parent ? '' : `, list: pathTo(${names.one}Routes, 'GET /'), filter: '${column}'`
  return `<%~ include('/partials/labels', { labels: ${value}.map((id) => [id, ${labels}.get(id)])${list}${ordered ? ', ordered: true' : ''} }) %>`
}
