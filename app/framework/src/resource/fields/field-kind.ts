import { z } from 'zod'

/**
 * The conversion between the text of a form field and its value. `number` is a schema of zod, and `numeric` one of `field`,
 * which reads text.
 */
export type FieldKind =
  'text' | 'number' | 'numeric' | 'boolean' | 'date' | 'time' | 'datetime' | 'json' | 'list' | 'other'

const kinds = z.registry<{ kind: FieldKind }>()

/** Registers the kind of a schema, so that it can be read when other schemas wrap it. */
export function ofKind<Schema extends z.ZodType>(kind: FieldKind, schema: Schema): Schema {
  kinds.add(schema, { kind })
  return schema
}

/** The properties of a field's schema, without the wrappers that zod adds for a default, `nullable` and pipes. */
export interface FieldFacts {
  readonly kind: FieldKind
  readonly nullable: boolean
  /** The default of the schema. Undefined if the field is required. */
  readonly usual: unknown
}

interface Layer {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly defaultValue?: unknown
}

export function fieldFacts(schema: z.ZodType): FieldFacts {
  let nullable = false
  let usual: unknown
  let layer: z.ZodType | undefined = schema
  while (layer !== undefined) {
    const { type, innerType, in: before, defaultValue } = layer.def as Layer
    const kind = kinds.get(layer)?.kind ?? PLAIN[type]
    if (kind !== undefined) return { kind, nullable, usual }
    nullable ||= type === 'nullable'
    if (usual === undefined) usual = defaultValue
    layer = innerType ?? before
  }
  return { kind: 'other', nullable, usual }
}

/** The kinds of zod's own schemas, by their type. */
const PLAIN: Readonly<Record<string, FieldKind>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  enum: 'text',
}

/** Returns the default values of the schema. */
export const defaultValues = ({ shape }: z.ZodObject): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([column, schema]) => {
      const { usual } = fieldFacts(schema as z.ZodType)
      return usual === undefined ? [] : [[column, usual]]
    }),
  )
