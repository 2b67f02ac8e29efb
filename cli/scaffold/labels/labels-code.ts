import { labelsNameOf } from '../code/snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** Code that reads the labels of references, for a page. */
interface Labels {
  /** The statements before the page's data, if fields refer to one resource: `const userLabels = await …`. */
  readonly shared: readonly string[]
  /** The maps that the view reads: `authors: userLabels`. */
  readonly entries: readonly string[]
}

interface Place {
  /** Code of the caller's context. */
  readonly ctx: string
  /** Code of the page whose records have the ids; left out for one record. */
  readonly page?: string
}

/** Returns the code for these references. Those to one resource share a query. */
export function labelsCode(model: Model, fields: readonly Field[], place: Place): Labels {
  const groups = [...groupsOf(fields)].map((group) => {
    const reading = readingOf(model, group, place)
    const { target } = group[0] ?? {}
    if (group.length === 1) return { shared: [], maps: [reading] }
    const name = `${target?.names.record}Labels`
    return { shared: [`const ${name} = ${reading}`], maps: group.map(() => name) }
  })
  const maps = groups.flatMap((group) => group.maps)
  const ordered = [...groupsOf(fields)].flat()
  return {
    shared: groups.flatMap(({ shared }) => shared),
    entries: ordered.map((field, at) => `${labelsNameOf(field, model)}: ${maps[at]}`),
  }
}

export const groupsOf = (fields: readonly Field[]) =>
  Map.groupBy(fields, ({ target }) => target?.names.resource).values()

function readingOf({ names }: Model, group: readonly Field[], { ctx, page }: Place): string {
  const [{ target, type } = {}] = group
  const values = group.map((field) => `${names.record}.${field.column}`)
  const isOne = group.length === 1
  const spread = values.map((value, at) => (group[at]?.type.isList ? `...${value}` : value))
  const ids = isOne && (type?.isList || page) ? values.join('') : `[${spread.join(', ')}]`
  const map = isOne && !type?.isList ? 'map' : 'flatMap'
  const all = page ? `${page}.content.${map}((${names.record}) => ${ids})` : ids
  return target?.isUser
    ? `await userNames(${ctx}, ${all})`
    : `await labelsOf(${ctx}, ${target?.names.type}, ${all})`
}
