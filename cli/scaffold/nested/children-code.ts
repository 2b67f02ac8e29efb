import { importLine } from '../code/snippets.ts'
import { offersRecords } from '../many/list-filter.ts'
import { ID_TYPES } from '../field-types/references.ts'
import type { Model } from '../model.ts'
import { capital, type Names } from '../read/names.ts'

export type Child = NonNullable<Model['children']>[number]

/** The parts of a list of parents that show the numbers of their children: in its controller, and in its view. */
export const countsData = ({ names, id, children = [] }: Model) =>
  children.flatMap(({ names: child, counted }) => {
    if (counted === undefined) return []
    const key = `${child.record}Counts`
    const ids = `list.page.content.map((${names.record}) => ${names.record}.id)`
    return {
      entry: `${key}: await childCounts(ctx, ${child.type}, { ${counted}: ${ids} })`,
      import: importLine(child.type, `#app/${child.folder}/${child.file}.ts`),
      name: `${key}, `,
      type: `${key}: ReadonlyMap<${ID_TYPES[id]}, number>, `,
      heading: child.titles,
      cell: `<span class="label">${child.titles}: </span><%= ${key}.get(${names.record}.id) ?? 0 %>`,
    }
  })

/** Returns the imports of a controller from `pergola/features`, and those of the counted children. */
export function featureImports(
  model: Model,
  counts: readonly { readonly import: string }[],
): { import: string }[] {
  const names = [
    ...(counts.length > 0 ? ['childCounts'] : []),
    ...(model.within ? ['prefilled'] : []),
    ...(offersRecords(model) ? ['withFilterChoices'] : []),
  ]
  return names.length > 0 ? [{ import: importLine(names.join(', '), 'pergola/features') }, ...counts] : []
}

/** The parts of a parent's page that show its children: in its controller, and in its view. */
export const childrenData = ({ names, children = [] }: Model) =>
  children.map(({ names: child }) => {
    const { key, get, type } = listNames(child)
    const file = `#app/${child.folder}/${child.file}.list.ts`
    return {
      key,
      type,
      file,
      import: importLine(get, file),
      entry: `${key}: await ${get}(req, ${names.record})`,
      include: `<%~ include('/${child.folder}/_list', it.${key}) %>`,
    }
  })

/** The names of the list of a nested resource: its function, the type of its data, and its id on the page. */
export const listNames = ({ many, record, folder, file }: Names) => ({
  /** The key in the data of the parent's page. The labels of a reference may have the plural. */
  key: `${record}List`,
  get: `${many}Of`,
  type: `${capital(many)}Of`,
  id: `list-of-${folder}`,
  ids: `${file}-field-`,
})

/** Returns code of the form for a new record. Links on the page of the parent name it in their query. */
export function newForm({ names, within }: Model): string {
  const form = `${names.many}.formFor(record(req, ${names.type}, 'create'))`
  return within ? `prefilled(req, ${names.type}, ${form})` : form
}
