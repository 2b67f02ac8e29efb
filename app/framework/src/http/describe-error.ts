/**
 * Returns an error for the log: its type, message, stack and SQL state. Omits the properties that the driver adds,
 * because they contain values of rows.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: 'the thrown value is not an Error' }
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return {
    type: error.name,
    ...(quotesValues(code) ? withoutMessage(error) : { message: error.message, stack: error.stack }),
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    ...(error.cause instanceof Error && { cause: describeError(error.cause) }),
  }
}

/** Returns whether the message contains a value: Postgres quotes values that don't fit their column. */
const quotesValues = (code: unknown) => typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)

const withoutMessage = ({ message, stack = '' }: Error) => ({
  message: 'the database rejected a value',
  stack: stack.replace(message, '…'),
})
