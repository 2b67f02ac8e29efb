type Fields = Record<string, unknown>

/** How deep a secret is looked for: `{ user: { account: { password } } }` has it at the third level. */
const DEPTH = 3
const CENSOR = '[redacted]'

/**
 * Returns a function that replaces the values of fields with these names, down to the third level, for the `formatters`
 * of pino. It returns fields without such names as they are. Pino's own redaction of each line takes longer than all
 * else that a line needs.
 *
 * ```ts
 * const redact = redactFields(['password', 'token'])
 * pino({ formatters: { log: redact, bindings: redact } })
 * ```
 */
export function redactFields(names: readonly string[]): (fields: Fields) => Fields {
  const secrets = new Set(names)
  const redact = (fields: Fields, depth: number): Fields => {
    let copy: Fields | undefined
    for (const name in fields) {
      const value = fields[name]
      const shown = secrets.has(name)
        ? CENSOR
        : isNested(value) && depth > 1
          ? redact(value, depth - 1)
          : value
      if (shown !== value) (copy ??= copyOf(fields))[name] = shown
    }
    return copy ?? fields
  }
  return (fields) => redact(fields, DEPTH)
}

/** Returns whether a value is a list or a plain object. Errors and other objects have serializers. */
function isNested(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}

const copyOf = (fields: Fields): Fields => (Array.isArray(fields) ? [...fields] : { ...fields }) as Fields
