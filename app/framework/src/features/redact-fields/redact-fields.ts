import type { Logger } from 'pino'

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
 * redactChildren(pino({ formatters: { log: redact } }), redact)
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

/** Makes all children of a log redact their bindings, which pino doesn't pass to the formatters of their parent. */
export function redactChildren(log: Logger, redact: (fields: Fields) => Fields): Logger {
  // The prototype has pino's own function, which children inherit too.
  const original = Object.getPrototypeOf(log) as Logger
  log.child = function redacted(this: Logger, bindings: Fields, options?: object) {
    return original.child.call(this, redact(bindings), options)
  } as typeof log.child
  return log
}

/** Returns whether a value has fields that a line would contain. Errors have a serializer, and others a text of their own. */
const isNested = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !(value instanceof Error) && !('toJSON' in value)

const copyOf = (fields: Fields): Fields => (Array.isArray(fields) ? [...fields] : { ...fields }) as Fields
