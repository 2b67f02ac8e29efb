import { z } from 'zod'
import { type FieldKind, ofKind } from './field-kind.ts'

/** An invalid value, with the message for its field. */
export class Refusal {
  readonly sentence: string

  constructor(sentence: string) {
    this.sentence = sentence
  }
}

interface Reading<Value> {
  kind?: FieldKind
  /** The message for a missing value, and for a value that is neither text nor a number. */
  missing: string
  read: (text: string) => Value | Refusal
}

/** Returns a schema that accepts text or a JSON number, and returns the value as its column returns it. */
export function reading<Value>({
  kind = 'text',
  missing,
  read,
}: Reading<Value>): z.ZodType<Value, string | number> {
  const input = z.union([z.string(), z.number()], missing)
  const schema = input.transform((value, ctx): Value => {
    const text = String(value).trim()
    const result = text === '' ? new Refusal(missing) : read(text)
    if (!(result instanceof Refusal)) return result
    ctx.addIssue(result.sentence)
    return z.NEVER
  })
  return ofKind(kind, schema)
}
