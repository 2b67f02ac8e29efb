import { CommanderError } from 'commander'
import { Exit, EXIT } from './exit.ts'
import { howToInstall, missingPackage } from './missing-package.ts'

/** How the process ends after this was thrown. */
export function codeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (error instanceof Exit) return error.code
  return chainOf(error).some(isLocked) ? EXIT.locked : EXIT.failed
}

/** What is said of it: a sentence, or the stack of what can only be a mistake in the code. Null when all is said. */
export function sentenceOf(error: unknown): string | null {
  if (error instanceof CommanderError) return null
  const name = missingPackage(error)
  if (name !== null) return howToInstall(name)
  const [mistake] = chainOf(error).filter(isMistake)
  if (mistake !== undefined) return mistake.stack ?? mistake.message
  const said = chainOf(error).map((one) => messageOf(oneOf(one)))
  return [...new Set(said)].filter((sentence) => sentence !== '').join(': ') || String(error)
}

/** The error, what caused it, what caused that. */
function chainOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : []
}

/** Of code that can't be read, with the line: Node says it in the stack alone. */
function messageOf({ message, name, stack = '' }: Error): string {
  const [place = ''] = stack.split(/\n+SyntaxError\b/)
  return name === 'SyntaxError' && place !== stack && place !== '' ? `${message}\n${place}` : message
}

/** A connection that was tried at several addresses fails several times, and says nothing itself. */
const oneOf = (error: Error): Error =>
  error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error

const isMistake = (error: Error) => error instanceof TypeError || error instanceof ReferenceError

/** Returns whether Postgres gave up waiting for another transaction's lock. */
const isLocked = (error: Error) => 'code' in error && error.code === LOCK_NOT_AVAILABLE

// Not `SqlState` of pergola: this file loads even if no package is installed.
const LOCK_NOT_AVAILABLE = '55P03'
