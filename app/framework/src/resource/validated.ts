import { deepFreeze } from './deep-freeze.ts'
import type { InputOf, Resource } from './resource.ts'

/** A symbol, because `{ ...input, pinned: true }` copies it, and no request body contains it. */
const VALIDATED: unique symbol = Symbol('validated')

/**
 * Values that passed the schema of a resource: what `formInput` and `jsonInput` return. A spread keeps the type, and each
 * write compares the values with the validated ones.
 */
export type Validated<R extends Resource, Values = InputOf<R>> = Values & { readonly [VALIDATED]: Mark<R> }

/** Proves that values passed the schema. Its fields are private, so that no other object does. */
class Mark<R extends Resource = Resource> {
  readonly #resource: R
  readonly #values: Readonly<Record<string, unknown>>

  constructor(resource: R, values: object) {
    this.#resource = resource
    this.#values = Object.freeze({ ...values })
  }

  /** Returns the values that passed the schema of the resource, or none. */
  static valuesOf(mark: object | undefined, resource: Resource): Readonly<Record<string, unknown>> {
    return mark !== undefined && #resource in mark && mark.#resource === resource ? mark.#values : {}
  }
}

/** The columns that the code sets besides the validated input. */
export interface SetColumns<Column> {
  /** The columns whose values need no validation, such as `['closed_at']`. A list of a client doesn't compile. */
  readonly set?: readonly [Column, ...Column[]]
}

/** The values of a write: validated input, or columns that the code names in `set`. */
export type WriteValues<R extends Resource, Values, Column extends keyof Values> =
  | readonly [
      values: Validated<R, Pick<Values, keyof Values & (keyof InputOf<R> | NoInfer<Column>)>>,
      options?: SetColumns<Column>,
    ]
  | readonly [values: Pick<Values, NoInfer<Column>>, options: Required<SetColumns<Column>>]

/** Marks values that passed the schema of the resource. Freezes those of JSON columns. */
export function validated<R extends Resource, Values extends object>(
  resource: R,
  values: Values,
): Validated<R, Values> {
  deepFreeze(resource.json.map((column) => values[column as keyof Values]))
  return { ...values, [VALIDATED]: new Mark(resource, values) }
}

interface Accepted {
  /** The columns that need no validation. */
  readonly set: readonly string[]
  /** The columns that no input may change. */
  readonly fixed?: readonly string[]
}

/**
 * Returns a copy of the values to write. Throws for a column that is neither validated input of the resource nor in `set`:
 * it could come from a request body. Throws for a name in `set` that the resource doesn't declare.
 */
export function acceptedValues(resource: Resource, source: object, { set, fixed = [] }: Accepted): object {
  const values: Record<PropertyKey, unknown> = { ...source }
  const input = Mark.valuesOf((values as Partial<Validated<Resource, object>>)[VALIDATED], resource)
  const isInput = (column: string) =>
    Object.hasOwn(input, column) && Object.is(input[column], values[column]) && !fixed.includes(column)
  const columns = Object.keys(values).filter((column) => values[column] !== undefined)
  const refused = columns.filter((column) => !set.includes(column) && !isInput(column))
  if (refused.length > 0) throw new Error(notAccepted(resource, refused))
  const unknown = set.find(
    (column) => !resource.columns.includes(column) && !resource.hidden.includes(column),
  )
  if (unknown !== undefined)
    throw new Error(
      `${resource.name}: '${unknown}' in set is not a declared column. Add it to columns or to hidden.`,
    )
  return Object.fromEntries(columns.map((column) => [column, values[column]]))
}

const notAccepted = ({ name }: Resource, columns: readonly string[]) =>
  `${name}: the value of ${columns.join(', ')} is not the input of formInput or jsonInput. If the code sets it, pass ` +
  `{ set: [${columns.map((column) => `'${column}'`).join(', ')}] }.`
