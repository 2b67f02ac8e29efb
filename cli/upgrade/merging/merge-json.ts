import { isDeepStrictEqual } from 'node:util'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export interface MergedJson {
  readonly value: Json
  /** The keys whose values both sides changed differently, like `scripts.dev`. The application's values are kept. */
  readonly conflicts: readonly string[]
}

type Of<Kind> = { readonly base: Kind; readonly ours: Kind; readonly theirs: Kind }
type Sides = Of<Json | undefined>

/** Merges JSON by key. Merges a list by entry if it contains scalars, or objects with an identifying key. */
export function mergeJson(sides: Sides): MergedJson {
  const conflicts: string[] = []
  const value = merge(sides, [], conflicts)
  return { value: value ?? null, conflicts }
}

function merge(sides: Sides, path: readonly string[], conflicts: string[]): Json | undefined {
  const { base, ours, theirs } = sides
  if (isDeepStrictEqual(ours, theirs) || isDeepStrictEqual(theirs, base)) return ours
  if (isDeepStrictEqual(ours, base)) return theirs
  if (isObject(ours) && isObject(theirs))
    return mergeObjects({ base: isObject(base) ? base : {}, ours, theirs }, path, conflicts)
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const merged = mergeLists({ base: Array.isArray(base) ? base : [], ours, theirs }, path, conflicts)
    if (merged !== null) return merged
  }
  // A key that the application removed is not added again.
  if (ours !== undefined) conflicts.push(path.join('.'))
  return ours
}

function mergeObjects(
  { base, ours, theirs }: Of<Record<string, Json>>,
  path: readonly string[],
  conflicts: string[],
): Json {
  const keys = inOrder(Object.keys(ours), Object.keys(theirs))
  const entries = keys.flatMap((key) => {
    const sides = { base: base[key], ours: ours[key], theirs: theirs[key] }
    const value = merge(sides, [...path, key], conflicts)
    return value === undefined ? [] : [[key, value] as const]
  })
  return Object.fromEntries(entries)
}

/** Merges lists by entry. Returns null if both sides changed the same entry and no key identifies it. */
function mergeLists(lists: Of<Json[]>, path: readonly string[], conflicts: string[]): Json[] | null {
  const identity = identityIn(Object.values(lists))
  const byIdentity = (list: readonly Json[]) => new Map(numbered(list.map(identity ?? wholeOf), list))
  const [base, ours, theirs] = [byIdentity(lists.base), byIdentity(lists.ours), byIdentity(lists.theirs)]
  if (identity === null && changeTheSame({ base, ours, theirs })) return null
  const isSorted = [base, ours, theirs].every((list) => isInOrder([...list.keys()]))
  const keys = inOrder([...ours.keys()], [...theirs.keys()])
  return (isSorted ? keys.toSorted(byCode) : keys).flatMap((key) => {
    const sides = { base: base.get(key), ours: ours.get(key), theirs: theirs.get(key) }
    const value = merge(sides, [...path, key], conflicts)
    return value === undefined ? [] : [value]
  })
}

const wholeOf = (entry: Json): string => (typeof entry === 'string' ? entry : JSON.stringify(entry))

/** Pairs each entry with its key. Appends a number to a repeated key: `a`, `a 1`. */
function numbered(keys: readonly string[], entries: readonly Json[]): [string, Json][] {
  const counts = new Map<string, number>()
  return keys.map((key, at) => {
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    return [count === 0 ? key : `${key} ${count}`, entries[at] ?? null]
  })
}

/** Returns whether both sides replaced the same object. A merge by entry would keep both replacements. */
function changeTheSame({ base, ours, theirs }: Of<ReadonlyMap<string, Json>>): boolean {
  const isReplaced = [...base].some(
    ([key, entry]) => typeof entry === 'object' && !ours.has(key) && !theirs.has(key),
  )
  const adds = (list: ReadonlyMap<string, Json>) => [...list.keys()].some((key) => !base.has(key))
  return isReplaced && adds(ours) && adds(theirs)
}

/** The keys that can identify an entry of a list in package.json, security.manifest.json or the configuration of a tool. */
const IDENTITIES = [
  ['path', 'method', 'name'],
  ['resource', 'action', 'route'],
  ['resource'],
  ['id'],
  ['name'],
  ['route'],
  ['path'],
  ['key'],
]

/**
 * Returns a function for the identity of an entry: the values of the first keys that are unique in each list. Null if
 * none are.
 */
function identityIn(lists: readonly Json[][]): ((entry: Json) => string) | null {
  const isUnique = (identity: (entry: Json) => string) =>
    lists.every((list) => new Set(list.map(identity)).size === list.length)
  const keys = IDENTITIES.find(
    (keys) =>
      lists.flat().every((entry) => isObject(entry) && keys.every((key) => isScalar(entry[key]))) &&
      isUnique(identityBy(keys)),
  )
  return keys === undefined ? null : identityBy(keys)
}

const identityBy = (keys: readonly string[]) => (entry: Json) =>
  isObject(entry) ? keys.map((key) => textOf(entry[key])).join(' ') : JSON.stringify(entry)

/** Returns the keys of `ours` and the keys that only `theirs` has, each after the key that precedes it in `theirs`. */
function inOrder(ours: readonly string[], theirs: readonly string[]): string[] {
  const keys = [...ours]
  for (const [at, key] of theirs.entries()) {
    if (keys.includes(key)) continue
    const before = theirs[at - 1]
    keys.splice(before === undefined ? 0 : keys.indexOf(before) + 1, 0, key)
  }
  return keys
}

const byCode = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
const isInOrder = (keys: readonly string[]): boolean =>
  keys.every((key, at) => at === 0 || byCode(keys[at - 1] ?? '', key) <= 0)

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const isScalar = (value: Json | undefined): boolean => value !== undefined && typeof value !== 'object'

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
