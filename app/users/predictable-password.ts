import { createRequire } from 'node:module'
import type * as core from '@zxcvbn-ts/core'
import type * as common from '@zxcvbn-ts/language-common'

const require = createRequire(import.meta.url)

/** The best score of zxcvbn: more than 10^10 guesses. A stolen copy of the digests can be attacked without a limit. */
const STRONG = 4
/** The score for more than 10^6 guesses. */
const NOT_COMMON = 2

/** The time of an estimate grows fast with the length. The whole password is at least as strong as its beginning. */
const ESTIMATED_LENGTH = 24

/**
 * Returns whether a password takes fewer than 10^10 guesses, as zxcvbn estimates, or is common without its spaces, its
 * punctuation, its repetitions, and these words. Expects lower case. Takes about 10 ms.
 *
 * ```ts
 * isPredictable('1q2w3e4r5t6y7u8i') // true: rows of keys
 * isPredictable('dragon dragon dragon') // true: `dragon` is common
 * isPredictable('ann loves pergola', ['ann', 'pergola']) // true: `loves` is common
 * ```
 */
export function isPredictable(password: string, words: readonly string[] = []): boolean {
  const rest = withoutWords(password, words)
  const once = rest.replace(/(.+?)\1+/gsu, '$1')
  return scoreOf(password) < STRONG || [rest, once].some((text) => scoreOf(text) < NOT_COMMON)
}

function withoutWords(password: string, words: readonly string[]): string {
  const longestFirst = words.toSorted((one, other) => other.length - one.length)
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, ''), password)
  return rest.replace(/[\s\p{P}]/gu, '')
}

const scoreOf = (text: string): number =>
  estimator().check(Array.from(text).slice(0, ESTIMATED_LENGTH).join('')).score

let loaded: core.ZxcvbnFactory | undefined

/** Creates the estimator on first use, which takes 100 ms. */
function estimator(): core.ZxcvbnFactory {
  const { core, common } = loadPasswordRules()
  // The default of 100 substitutions, such as `4` for `a`, takes ten times as long.
  loaded ??= new core.ZxcvbnFactory({
    dictionary: common.dictionary,
    graphs: common.adjacencyGraphs,
    l33tMaxSubstitutions: 10,
  })
  return loaded
}

/** Loads the packages, which takes 50 ms. Commands check no new password. */
export const loadPasswordRules = () => ({
  core: require('@zxcvbn-ts/core') as typeof core,
  common: require('@zxcvbn-ts/language-common') as typeof common,
})
