import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ColumnOf } from '../../resource/tables.ts'
import type { AnyFieldRule, PolicyContext } from '../../policy/authorization-types.ts'

/** The rules of one field. They return true or false, and must not be async: any other value is an error. */
export interface FieldRule<R extends Resource> {
  /**
   * Whether the caller sees the field in this row. Lists can be sorted, searched and filtered by the field if this rule
   * allows it without reading the row.
   */
  readonly see?: (ctx: PolicyContext, row: RowOf<R>) => boolean
  /**
   * Whether the caller may set the field by this action: in the stored row, or in the draft of a new one. By default,
   * each caller who sees the field may set it.
   * For a new record, `formInput` and `jsonInput` call the rule with a draft that only has its owner.
   */
  readonly set?: (ctx: PolicyContext, record: Partial<RowOf<R>>, action: string) => boolean
}

/** The rules of a policy for single fields, by field. */
export type FieldRules<R extends Resource> = { readonly [Field in ColumnOf<R['table']>]?: FieldRule<R> }

/** The fields whose rules may contain `see`, also in a rule with the type `FieldRule`. */
export type RestrictedField<Fields> = {
  [Field in keyof Fields]: Fields[Field] extends { see?: undefined; set: unknown } ? never : Field
}[keyof Fields]

/** The fields of a policy without field rules. */
export const NO_FIELDS: Readonly<Record<string, never>> = Object.freeze({})

/** Returns the fields with a rule `see`. */
export const restrictedFields = (fields: Readonly<Record<string, AnyFieldRule>>): readonly string[] =>
  fields === NO_FIELDS
    ? NONE
    : Object.entries(fields).flatMap(([field, { see }]) => (see === undefined ? [] : [field]))
const NONE: readonly string[] = []

/** Returns the columns whose values belong into no message: the hidden ones, and those with a rule `see`. */
export const secretFields = (
  { hidden }: Resource,
  policy: { readonly fields: Readonly<Record<string, AnyFieldRule>> } | undefined,
): readonly string[] => [...hidden, ...restrictedFields(policy?.fields ?? NO_FIELDS)]

/** Returns the field rules, frozen. Throws if one of them is incomplete, or hides the id or the label. */
export function checkedFields<R extends Resource, Fields extends FieldRules<R>>(
  { name, label }: R,
  fields: Fields,
): Fields {
  for (const [field, rule] of Object.entries<FieldRule<R> | undefined>(fields)) {
    const { see, set, ...others } = { ...rule }
    if ([see ?? set, set ?? see].some((one) => typeof one !== 'function') || Object.keys(others).length > 0)
      throw new Error(`${name}: fields.${field} needs a function see, a function set, or both.`)
    if (see !== undefined && [label, 'id'].includes(field))
      throw new Error(`${name}: lists and links show '${field}', so fields.${field} can't have the rule see.`)
  }
  return Object.freeze({ ...fields })
}
