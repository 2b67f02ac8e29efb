import { isDeepStrictEqual } from 'node:util'
import type { Manifest } from 'pergola/manifest'

/** Two manifests of the same application: of its code before a change, and of its code now. */
export interface ManifestChange {
  readonly before: Manifest
  readonly after: Manifest
}

/**
 * Returns the reviewed manifest with the entries that a change of the code added, changed or removed. Everything else
 * that differs between the reviewed manifest and the code keeps its reviewed value, so that an audit still reports it.
 */
export function mergeManifest(reviewed: Manifest, { before, after }: ManifestChange): Manifest {
  return merged(reviewed, before, after, '') as Manifest
}

/** The key that identifies and sorts the entries of each list, by the path of the list. */
const KEYS: Readonly<Record<string, (entry: never) => string>> = {
  'dimensions.routes.entries': ({ path, method, name }: Entry) => `${path} ${method} ${name}`,
  'dimensions.authorization_policies.entries': ({ resource, action, route }: Entry) =>
    `${resource} ${action} ${route}`,
  'dimensions.authorization_policies.resources': ({ resource }: Entry) => `${resource}`,
  'dimensions.authorization_policies.in_code': ({ file, decision }: Entry) => `${file} ${decision}`,
  'excluded.as_system.uses': ({ file, repository, why }: Entry) => `${file} ${repository} ${why}`,
  'excluded.direct_use.uses': ({ file, kind, what }: Entry) => `${file} ${kind} ${what}`,
  'excluded.development_only': ({ route }: Entry) => `${route}`,
}

/** Lists whose order matters. They are merged as one value. */
const ORDERED = /\.(?:middleware|guards|not_visible)$/

type Entry = Readonly<Record<string, string | null>>

function merged(reviewed: unknown, before: unknown, after: unknown, at: string): unknown {
  if (isDeepStrictEqual(before, after)) return reviewed
  if (before === undefined || after === undefined || isDeepStrictEqual(reviewed, before)) return after
  const values = [reviewed, before, after]
  if (values.every(Array.isArray) && !ORDERED.test(at)) return mergedLists(values, at)
  if (values.every(isObject)) return mergedObjects(values, at)
  // The code already differs from the reviewed manifest here.
  return reviewed
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function mergedObjects(values: readonly Record<string, unknown>[], at: string): Record<string, unknown> {
  const [reviewed = {}, before = {}, after = {}] = values
  const keys = new Set([...Object.keys(reviewed), ...Object.keys(after)])
  return Object.fromEntries(
    [...keys]
      .map((key) => [key, merged(reviewed[key], before[key], after[key], below(at, key))] as const)
      .filter(([, value]) => value !== undefined),
  )
}

const below = (at: string, key: string): string => (at === '' ? key : `${at}.${key}`)

function mergedLists(values: readonly unknown[][], at: string): unknown[] {
  const keyOf = (KEYS[at] ?? String) as (entry: unknown) => string
  const [reviewed = {}, before = {}, after = {}] = values.map((list) => byKey(list, keyOf))
  return Object.values(mergedObjects([reviewed, before, after], at)).toSorted((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : Number(keyOf(one) !== keyOf(other)),
  )
}

/** Indexes a list by key. Equal entries, like two uses of asSystem with the same reason, get different numbers. */
function byKey(list: readonly unknown[], keyOf: (entry: unknown) => string): Record<string, unknown> {
  const counts = new Map<string, number>()
  return Object.fromEntries(
    list.map((entry) => {
      const key = keyOf(entry)
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      return [`${key} #${count}`, entry]
    }),
  )
}
