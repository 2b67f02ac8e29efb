import { createRequire } from 'node:module'
import type * as common from '@zxcvbn-ts/language-common'

const require = createRequire(import.meta.url)

/**
 * Returns whether a password is among the 49,000 most common ones, a repeated block or a row of keys. The list leaves out
 * repetitions and rows. Expects lower case.
 */
export const isCommonPassword = (password: string): boolean =>
  list().has(password) || /^(.{1,6})\1+$/su.test(password) || isRow(password)

let passwords: ReadonlySet<string> | undefined

/** Loads the list on first use: it takes 45 ms, and most processes check no new password. */
function list(): ReadonlySet<string> {
  passwords ??= new Set(loadDictionary()['passwords-common'])
  return passwords
}

const loadDictionary = () => (require('@zxcvbn-ts/language-common') as typeof common).dictionary

const ROWS = ['01234567890', '1234567890-=', 'qwertyuiop[]', '09876543210', '=-0987654321', '][poiuytrewq']

const isRow = (password: string): boolean => ROWS.some((row) => row.includes(password))
