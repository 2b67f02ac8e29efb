/** An error for the log: what and where, and none of the values that a driver hangs on it (Postgres quotes the row). */
export function describeError(error: unknown): object {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'something that is no error was thrown' }
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    stack: error.stack,
    ...(error.cause instanceof Error && { cause: describeError(error.cause) }),
  }
}
