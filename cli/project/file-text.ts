import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { contained } from './contained.ts'

/** Reads a file of the project; null if it does not exist. */
export function textAt(root: string, path: string): string | null {
  const file = contained(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/** Returns the text with \n as line ends. A checkout may have changed them to \r\n. */
export const unix = (text: string): string => text.replaceAll('\r\n', '\n')

/** Returns the text with the line ends of `model`. */
export const asIn = (model: string, text: string): string =>
  model.includes('\r\n') ? unix(text).replaceAll('\n', '\r\n') : text

export const sameText = (one: string | null, other: string | null): boolean =>
  one === null || other === null ? one === other : unix(one) === unix(other)

export const digestOf = (text: string): string => createHash('sha256').update(unix(text)).digest('hex')

export const linesOf = (text: string): number => unix(text).split('\n').length - 1
