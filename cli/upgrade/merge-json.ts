import { isDeepStrictEqual } from 'node:util'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export interface MergedJson {
  readonly value: Json
  /** The keys whose values both sides changed, each in its own way: `scripts.dev`. The application's value stays. */
  readonly conflicts: readonly string[]
}

interface Sides {
  readonly base: Json | undefined
  readonly ours: Json | undefined
  readonly theirs: Json | undefined
}

/** Merges by key. Lists of scalars, and of objects with an identity, are merged by entry. */
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
  // A key that the application removed stays removed.
  if (ours !== undefined) conflicts.push(path.join('.'))
  return ours
}

type Of<Kind> = { readonly base: Kind; readonly ours: Kind; readonly theirs: Kind }

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

/** By entry; null for lists in which both sides changed the same entry, and nothing else identifies it. */
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

/** The entries by key. Each further entry with the same key has a number in its key. */
function numbered(keys: readonly string[], entries: readonly Json[]): [string, Json][] {
  const counts = new Map<string, number>()
  return keys.map((key, at) => {
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    return [count === 0 ? key : `${key} ${count}`, entries[at] ?? null]
  })
}

/** Whether both sides replaced the same object: merged by entry, the list would have it twice. */
function changeTheSame({ base, ours, theirs }: Of<ReadonlyMap<string, Json>>): boolean {
  const isReplaced = [...base].some(
    ([key, entry]) => typeof entry === 'object' && !ours.has(key) && !theirs.has(key),
  )
  const adds = (list: ReadonlyMap<string, Json>) => [...list.keys()].some((key) => !base.has(key))
  return isReplaced && adds(ours) && adds(theirs)
}

/** What identifies the entries of the lists in package.json, security.manifest.json and tools' configuration. */
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

/** What is the same of an entry in all these lists, while its other keys may change; null if nothing is. */
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

/** The keys of ours with those that only theirs has, each behind the one that precedes it there. */
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
