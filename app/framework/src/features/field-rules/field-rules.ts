import type { AnyFieldRule, FieldAccess, PolicyContext } from '../../policy/authorization-types.ts'
import type { Resource, RowOf } from '../../resource/resource.ts'
import type { ColumnOf } from '../../resource/tables.ts'

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

/** The rules for single fields, by field. */
type RulesOf<R extends Resource> = { readonly [Field in ColumnOf<R['table']>]?: FieldRule<R> }

type OnlyColumns<R extends Resource, Fields> =
  Exclude<keyof Fields, ColumnOf<R['table']>> extends never ? unknown : { 'a field is not a column': never }

/** The fields whose rules may contain `see`, also in a rule with the type `FieldRule`. */
type RestrictedBy<Fields> = {
  [Field in keyof Fields]: Fields[Field] extends { see?: undefined; set: unknown } ? never : Field
}[keyof Fields] &
  string

/**
 * Declares rules for single fields, for the actions that the policy allows. Fields without rules have no limits. Callers
 * get rows without the fields that they don't see, and `Invalid` (422) for a field that they may not set. Rows of hooks and
 * of `asSystem` have all fields, and so have the rows that rules get.
 *
 * Throws for a rule that is incomplete, and for a rule `see` of the id or of the label.
 *
 * ```ts
 * export const postPolicy = policy(Post, { canShow: () => true, … }, {
 *   fields: fieldRules(Post, { fee: { see: (ctx, post) => ctx.hasRole('editor') || ctx.owns(post.author_id) } }),
 * })
 * ```
 */
export function fieldRules<R extends Resource, const Fields extends RulesOf<R>>(
  resource: R,
  fields: Fields & RulesOf<R> & OnlyColumns<R, Fields>,
): FieldAccess<RestrictedBy<NoInfer<Fields>>> {
  const rules = checkedRules(resource, fields)
  const names = Object.keys(rules)
  const ruleOf = (field: string): AnyFieldRule => (Object.hasOwn(rules, field) ? (rules[field] ?? {}) : {})
  const answer = (value: unknown, field: string, kind: keyof AnyFieldRule) => {
    if (typeof value === 'boolean') return value
    throw new Error(
      `${resource.name}: the rule fields.${field}.${kind} returned neither true nor false. It must not be async.`,
    )
  }
  const access: FieldAccess = {
    resource,
    rules,
    fields: Object.freeze(names),
    restricted: Object.freeze(names.filter((field) => ruleOf(field).see !== undefined)),
    sees(ctx, field, row) {
      const { see } = ruleOf(field)
      return see === undefined || answer(see(ctx, row as never), field, 'see')
    },
    seesInAllRows: (ctx, field) => withoutReading((anyRow) => access.sees(ctx, field, anyRow)),
    maySet(ctx, field, { record, action }) {
      const { set } = ruleOf(field)
      if (set !== undefined) return answer(set(ctx, record as never, action as never), field, 'set')
      // A draft lacks columns that `see` may compare.
      return action === 'create' ? access.seesInAllRows(ctx, field) : access.sees(ctx, field, record)
    },
  }
  return Object.freeze(access) as FieldAccess<never>
}

/** Returns the rules, frozen. Throws if one of them is incomplete, or hides the id or the label. */
function checkedRules({ name, label }: Resource, fields: object): Readonly<Record<string, AnyFieldRule>> {
  for (const [field, rule] of Object.entries<AnyFieldRule | undefined>({ ...fields })) {
    const { see, set, ...others } = { ...rule }
    if ([see ?? set, set ?? see].some((one) => typeof one !== 'function') || Object.keys(others).length > 0)
      throw new Error(`${name}: fields.${field} needs a function see, a function set, or both.`)
    if (see !== undefined && [label, 'id'].includes(field))
      throw new Error(`${name}: lists and links show '${field}', so fields.${field} can't have the rule see.`)
  }
  return Object.freeze({ ...fields })
}

/**
 * Calls a rule with a row that throws when it is read: without a read, the answer holds for every row. Returns false if the
 * rule reads the row. It may catch the error, so the read is recorded.
 */
function withoutReading(decide: (anyRow: object) => boolean): boolean {
  let isRead = false
  const read = () => {
    isRead = true
    throw new Error('The rule read the row.')
  }
  const traps = Object.fromEntries(READING.map((trap) => [trap, read]))
  try {
    return decide(new Proxy({}, traps)) && !isRead
  } catch (error) {
    if (isRead) return false
    throw error
  }
}

/** The traps of all operations that read an object, or change it. */
const READING = Object.getOwnPropertyNames(Reflect)
