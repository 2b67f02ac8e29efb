import { z } from 'zod'

/** How the text of a form becomes a value of a field, and the other way. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'time' | 'datetime' | 'json' | 'other'

const kinds = z.registry<{ kind: FieldKind }>()

/** Says what a schema is for, to whoever meets it within others. */
export function ofKind<Schema extends z.ZodType>(kind: FieldKind, schema: Schema): Schema {
  kinds.add(schema, { kind })
  return schema
}

/** What a schema of an input is about, below its default, its null and whatever it is piped into. */
export interface FieldFacts {
  readonly kind: FieldKind
  readonly nullable: boolean
  /** What is stored where nothing is sent; undefined where something has to be. */
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

/** The kinds of schemas that were not made by `field`. */
const PLAIN: Readonly<Record<string, FieldKind>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  enum: 'text',
}
