import { createRequire } from 'node:module'
import type * as common from '@zxcvbn-ts/language-common'

const require = createRequire(import.meta.url)

/** The minimum of NIST SP 800-63B-4 for any password. */
const SHORTEST_REST = 8

/**
 * Returns whether a password is easy to guess: if it is among the 49,000 most common ones, or is shorter than eight characters
 * without its spaces and punctuation, its repetitions, rows of keys or letters, and these words. Expects lower case, and
 * 256 characters or fewer.
 *
 * ```ts
 * isPredictable('aaaaaaaaaaaaaaabc') // true: `abc`, which is a row
 * isPredictable('pergola password 1', ['pergola']) // true: `password1` is common
 * ```
 */
export function isPredictable(password: string, words: readonly string[] = []): boolean {
  const rest = withoutWords(password, words)
  const once = rest.replace(/(.+?)\1+/gsu, '$1')
  const shortest = withoutRows(once)
  return [password, rest, once, shortest].some(isCommon) || Array.from(shortest).length < SHORTEST_REST
}

function withoutWords(password: string, words: readonly string[]): string {
  const longestFirst = words.toSorted((one, other) => other.length - one.length)
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, ''), password)
  return rest.replace(/[\s\p{P}]/gu, '')
}

const isCommon = (password: string): boolean => loadCommonPasswords().has(password)

let passwords: ReadonlySet<string> | undefined

/** Loads the list on first use: it takes 45 ms, and commands check no new password. */
export function loadCommonPasswords(): ReadonlySet<string> {
  passwords ??= new Set(loadDictionary()['passwords-common'])
  return passwords
}

const loadDictionary = () => (require('@zxcvbn-ts/language-common') as typeof common).dictionary

const ROWS = [
  '01234567890',
  '1234567890-=',
  '1234567890qwertyuiop',
  'qwertyuiop[]',
  'qwertyuiopasdfghjklzxcvbnm',
  'abcdefghijklmnopqrstuvwxyz',
].flatMap((row) => [row, Array.from(row).toReversed().join('')])

/** Of three keys or more, because a shorter text is a part of most rows. */
const SHORTEST_ROW = 3

/** Replaces each row by its first key: `x1234567y` by `x1y`. */
function withoutRows(text: string): string {
  let rest = ''
  for (let start = 0; start < text.length;) {
    const length = rowAt(text, start)
    rest += text[start]
    start += length < SHORTEST_ROW ? 1 : length
  }
  return rest
}

/** Returns the number of characters from `start` that are a part of one row. */
function rowAt(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && ROWS.some((row) => row.includes(text.slice(start, end + 1)))) end++
  return end - start
}
