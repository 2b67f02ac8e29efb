/** The differences between two manifests, as sentences. */
export interface Differences {
  /** Changes that might give access. */
  readonly wider: readonly string[]
  /** Changes that remove access. */
  readonly narrower: readonly string[]
  /** Changes that don't affect access in production, such as another name of a route. */
  readonly other: readonly string[]
}

/** The effect of a new, a missing and a changed claim on access. */
type Effects = Readonly<Record<'added' | 'gone' | 'changed', keyof Differences>>

export const OPENS: Effects = { added: 'wider', gone: 'narrower', changed: 'wider' }
export const CLOSES: Effects = { added: 'narrower', gone: 'wider', changed: 'wider' }
/** An unknown effect counts as wider. */
export const UNCLEAR: Effects = { added: 'wider', gone: 'wider', changed: 'wider' }
export const NEUTRAL: Effects = { added: 'other', gone: 'other', changed: 'other' }

/** Something that a manifest claims, such as that clients can write a column, with the sentences about its changes. */
export interface Claim {
  /** Identifies the claim in both manifests. */
  readonly key: string
  readonly effects: Effects
  readonly added?: string
  readonly gone?: string
  readonly changed?: (old: string) => string
  /** A claim has changed if its value has, and the text of the value in sentences. */
  readonly value?: string
  readonly text?: string
  /** Orders values: a higher rank gives access to more callers. */
  readonly rank?: number
  /** Names whose order matters, and the sentence about another order. */
  readonly order?: { readonly names: readonly string[]; readonly changed: string }
  /** Claims that a sentence about a new claim covers. */
  readonly below?: readonly Claim[]
  /** Claims that are also reported for a new claim. The sentence about a missing claim covers both. */
  readonly details?: readonly Claim[]
}

/** Returns the claim of a sentence like `Clients can now write Post.title.` */
export const claim = (effects: Effects, added: string, details: readonly Claim[] = []): Claim => ({
  key: added,
  effects,
  added,
  gone: added.replace(' now ', ' no longer '),
  details,
})

/** Returns the claim that something has a value. */
export const valueClaim = (effects: Effects, what: string, text: string): Claim => ({
  key: what,
  effects,
  value: text,
  text,
  added: `${what} is new: ${text}.`,
  gone: `${what} was removed; it was ${text}.`,
  changed: (old) => `${what} is now ${text}; it was ${old}.`,
})

/** Returns no claim for null. */
export const valueClaims = (effects: Effects, what: string, text: string | null): Claim[] =>
  text === null ? [] : [valueClaim(effects, what, text)]

export function differencesOf(old: readonly Claim[], now: readonly Claim[]): Differences {
  const changes = changesOf(old, now)
  const sentences = (effect: keyof Differences) =>
    changes.flatMap(([kind, sentence]) => (kind === effect && sentence !== undefined ? [sentence] : []))
  return { wider: sentences('wider'), narrower: sentences('narrower'), other: sentences('other') }
}

type Change = readonly [keyof Differences, string | undefined]

function changesOf(old: readonly Claim[], now: readonly Claim[]): Change[] {
  const left = [...old]
  const take = (matches: (one: Claim) => boolean): Claim | undefined => {
    const at = left.findIndex(matches)
    return at < 0 ? undefined : left.splice(at, 1)[0]
  }
  // Keys may repeat, so unchanged claims find each other first.
  const unchanged = now.map(({ key, value }) => take((one) => one.key === key && one.value === value))
  const changes = now.flatMap((one, index) => {
    const before = unchanged[index] ?? take(({ key }) => key === one.key)
    return before === undefined ? additions(one) : changesWithin(before, one)
  })
  return [...changes, ...left.map(({ effects, gone }) => [effects.gone, gone] as const)]
}

const additions = ({ effects, added, details = [] }: Claim): Change[] => [
  [effects.added, added],
  ...changesOf([], details),
]

function changesWithin(old: Claim, now: Claim): Change[] {
  const isChanged = old.value !== now.value && old.text !== now.text
  return [
    ...(isChanged ? [[effectOf(old, now), now.changed?.(old.text ?? '')] as const] : []),
    ...changesOf(within(old), within(now)),
    ...(isReordered(old.order?.names, now.order?.names) ? [['wider', now.order?.changed] as const] : []),
  ]
}

const within = ({ below = [], details = [] }: Claim): Claim[] => [...below, ...details]

function effectOf({ rank: old = 0 }: Claim, { rank = 0, effects }: Claim): keyof Differences {
  if (rank === old) return effects.changed
  return rank < old ? 'narrower' : 'wider'
}

/** Returns whether the common names have another order. */
const isReordered = (old: readonly string[] = [], now: readonly string[] = []): boolean =>
  common(old, now).join() !== common(now, old).join()

const common = (names: readonly string[], others: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => others.includes(name))
