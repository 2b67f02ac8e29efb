import { CommanderError } from 'commander'
import { Exit, EXIT } from './exit.ts'
import { howToInstall, missingPackage } from './missing-package.ts'

/** Returns the exit code of the process for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (error instanceof Exit) return error.code
  return chainOf(error).some(isLocked) ? EXIT.locked : EXIT.failed
}

/** Returns the message to print: one line, or the stack of a programming error. Null if commander already printed it. */
export function errorText(error: unknown): string | null {
  if (error instanceof CommanderError) return null
  const name = missingPackage(error)
  if (name !== null) return howToInstall(name)
  const [bug] = chainOf(error).filter(isBug)
  if (bug !== undefined) return bug.stack ?? bug.message
  const messages = chainOf(error).map((one) => messageOf(firstOf(one)))
  return [...new Set(messages)].filter((message) => message !== '').join(': ') || String(error)
}

/** Returns the message, and the problems of a command line, for programs. */
export const errorAsJson = (error: unknown): object => ({
  error: errorText(error) ?? (error as Error).message,
  problems: (error as { problems?: unknown }).problems,
})

/** Returns the error, its cause, the cause of the cause, and so on. */
function chainOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : []
}

/** Returns the message. For a syntax error, adds the line, which Node writes only into the stack. */
function messageOf({ message, name, stack = '' }: Error): string {
  const [place = ''] = stack.split(/\n+SyntaxError\b/)
  return name === 'SyntaxError' && place !== stack && place !== '' ? `${message}\n${place}` : message
}

/** Returns the first error of an AggregateError: its own message is empty if a host has several addresses. */
const firstOf = (error: Error): Error =>
  error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error

const isBug = (error: Error) => error instanceof TypeError || error instanceof ReferenceError

/** Returns whether Postgres gave up waiting for another transaction's lock. */
const isLocked = (error: Error) => 'code' in error && error.code === LOCK_NOT_AVAILABLE

// Does not use `SqlState` of pergola, because this file must load even if no package is installed.
const LOCK_NOT_AVAILABLE = '55P03'
