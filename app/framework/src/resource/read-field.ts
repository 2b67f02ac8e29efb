import { z } from 'zod'
import { type FieldKind, ofKind } from './field-kind.ts'

/** Why a value is refused, as a sentence that can stand beside its field. */
export class Refusal {
  readonly sentence: string

  constructor(sentence: string) {
    this.sentence = sentence
  }
}

interface Reading<Value> {
  kind?: FieldKind
  /** What is said of nothing at all, and of what is no text and no number. */
  missing: string
  read: (text: string) => Value | Refusal
}

/** A field whose values arrive as text or as a JSON number, and leave as their column reads them back. */
export function reading<Value>({
  kind = 'text',
  missing,
  read,
}: Reading<Value>): z.ZodType<Value, string | number> {
  const given = z.union([z.string(), z.number()], missing)
  const schema = given.transform((value, ctx): Value => {
    const text = String(value).trim()
    const result = text === '' ? new Refusal(missing) : read(text)
    if (!(result instanceof Refusal)) return result
    ctx.addIssue(result.sentence)
    return z.NEVER
  })
  return ofKind(kind, schema)
}
