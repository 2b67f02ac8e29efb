import { importLine } from '../code/snippets.ts'
import type { Model } from '../model.ts'
import { capital, type Names } from '../read/names.ts'

/** The parts of a parent's page that show its children: in its controller, and in its view. */
export const childrenData = ({ names, children = [] }: Model) =>
  children.map((child) => {
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
