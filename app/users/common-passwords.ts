import { createRequire } from 'node:module'
import type * as common from '@zxcvbn-ts/language-common'

const require = createRequire(import.meta.url)

/**
 * Returns whether a password is among the 49,000 most common ones, repeats a short or common text, or is a row of keys or
 * letters. The list leaves out repetitions and rows. Expects lower case.
 */
export function isCommonPassword(password: string): boolean {
  const [, block = password] = /^(.+?)\1+$/su.exec(password) ?? []
  return (block !== password && Array.from(block).length <= 6) || isListed(block) || isListed(password)
}

const isListed = (text: string): boolean => list().has(text) || isRow(text)

let passwords: ReadonlySet<string> | undefined

/** Loads the list on first use: it takes 45 ms, and most processes check no new password. */
function list(): ReadonlySet<string> {
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
const isRow = (text: string): boolean => text.length > 2 && ROWS.some((row) => row.includes(text))
