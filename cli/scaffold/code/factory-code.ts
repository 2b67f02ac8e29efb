import { importLine, sortedImports } from './snippets.ts'
import { requiredFields, targetsOf } from './model-fields.ts'
import { numberedCode, realisticCode, type ValueCode } from './examples.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { insertOf, parentsOf, tenantImports } from '../tenants/tenant-factory-code.ts'
import { withArticle } from '../read/names.ts'

/** The variables of the factory's template. */
export function factoryData(model: Model): object {
  const { names } = model
  const required = requiredFields(model)
  const parents = required.filter(({ target }) => target)
  const valued = valuedFields(model, required)
  const values = valued.map((field) => ({ column: field.column, ...valueOf(model, field) }))
  const usesFaker = values.some(({ usesFaker }) => usesFaker)
  return {
    names,
    imports: sortedImports([
      ...tenantImports(model, parents),
      ...(usesFaker ? [importLine('faker', '@faker-js/faker/locale/en')] : []),
      ...helperImport(values),
      ...targetsOf(parents.filter(({ target }) => !(model.tenant && target?.isUser))).map(({ names }) =>
        importLine(`make${names.resource}`, `#app/${names.folder}/${names.file}.factory.ts`),
      ),
    ]),
    sentence: sentenceOf(model, parents),
    usesFaker,
    // Matches the variable n, but not the line feed \n.
    counts: values.some(({ code }) => /(?<!\\)\bn\b/.test(code)),
    insert: insertOf(model),
    parents: parentsOf(model, parents),
    entries: [
      ...values.map(({ column, code }) => `${column}: ${code}`),
      ...(model.tenant ? [model.tenant.column] : []),
      ...parents.map(({ column }) => column),
      parents.length > 0 || model.tenant ? '...rest' : '...values',
    ],
  }
}

function valuedFields({ readers, fields }: Model, required: readonly Field[]): readonly Field[] {
  const when = typeof readers === 'object' ? readers.when : null
  const valued = fields.filter((field) => field === when || (required.includes(field) && !field.target))
  // Sets one field even if none is required, because a row of default values looks like a mistake.
  return required.length > 0 || valued.length > 0
    ? valued
    : fields.slice(0, 1).filter(({ target }) => !target)
}

/** Returns a realistic value. Enums and booleans have the same value in each record, because tests may depend on it. */
function valueOf({ names, readers }: Model, field: Field): ValueCode {
  const isWhen = typeof readers === 'object' && readers.when === field
  if (isWhen) return { code: 'true', usesFaker: false, helper: undefined }
  return field.type.filter ? numberedCode(field) : realisticCode(field, names)
}

function helperImport(values: readonly ValueCode[]): string[] {
  const helpers = [...new Set(values.flatMap(({ helper }) => helper ?? []))].toSorted()
  return helpers.length === 0 ? [] : [importLine(helpers.join(', '), '#app/db/seeding.ts')]
}

function sentenceOf({ names, readers, owner }: Model, parents: readonly Field[]): string {
  const adjective = typeof readers === 'object' ? `${readers.when.label.toLowerCase()} ` : ''
  const inserts = `Inserts ${withArticle(`${adjective}${names.human}`)}`
  if (parents.length === 0) return `${inserts} with realistic values.`
  return parents.length === 1 && parents[0] === owner
    ? `${inserts}, and a user as its ${owner?.label.toLowerCase()} unless \`values\` names one.`
    : `${inserts}, and the records that it refers to unless \`values\` names them.`
}
