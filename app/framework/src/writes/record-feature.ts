import { type SelectQueryBuilder, sql } from 'kysely'
import { type AnyTables, selectFrom } from '../rows/statements.ts'
import { isExactId } from '../resource/record-id.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'

/**
 * A feature of a repository: it watches each write in its transaction, and may add methods. The repository takes it as
 * `features: [history]`.
 */
export interface RecordFeature<Name extends string = string> {
  readonly name: Name
  /** Returns what watches the writes of a resource. `why` is the reason of `asSystem`; null for writes that a policy allowed. */
  readonly watch?: (resource: Resource, why: string | null) => WriteWatcher
  /** Returns the methods that the repository gets. Their types are in `FeatureMethods`. */
  readonly methods?: (resource: Resource) => object
  /** Returns the methods that `asSystem` gets. Their types are in `FeatureMethods`. */
  readonly systemMethods?: (resource: Resource) => object
}

/** The types of the methods that features add, by the name of the feature: see `features/history/history.ts`. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-unused-vars -- features add to it
export interface FeatureMethods<R extends Resource> {}

/** The methods that the features of a repository add to it, or to `asSystem`. */
export type MethodsOf<R extends Resource, Options, Kind extends keyof RecordFeature> = Options extends {
  features: infer Features
}
  ? MethodsOfAll<R, Features, Kind>
  : unknown

type MethodsOfAll<R extends Resource, Features, Kind> = Features extends readonly [
  { readonly name: infer Name },
  ...infer Rest,
]
  ? MethodsOfOne<R, Name, Kind> & MethodsOfAll<R, Rest, Kind>
  : unknown

type MethodsOfOne<R extends Resource, Name, Kind> = Name extends keyof FeatureMethods<R>
  ? Kind extends keyof FeatureMethods<R>[Name]
    ? FeatureMethods<R>[Name][Kind]
    : unknown
  : unknown

/** The kinds of writes of existing records. `delete` moves a record with `softDelete` to the trash, and `purge` deletes it. */
export type WriteAction = 'update' | 'delete' | 'restore' | 'purge'

/** Watches writes. All functions are called in the transaction of the write: an error rolls the write back. */
export interface WriteWatcher {
  /** The columns that it watches, if an update of one record without them needs no watching. */
  readonly only?: readonly string[]
  /** Called after an insert, with the ids of the new records. */
  inserted(ids: readonly RecordId[]): Promise<void>
  /**
   * Called before a write. Locks these records until the end of the transaction, and returns all that exist. Throws to
   * refuse the write.
   */
  before(action: WriteAction, records: RecordQuery): Promise<WatchedRecords>
}

/** The records of a write that is about to happen. */
export interface WatchedRecords {
  /** Their ids, as text. */
  readonly ids: readonly string[]
  /** Called after the write. Not called if it wrote nothing. */
  after(): Promise<void>
}

/** A query of records, which returns no column yet. */
export type RecordQuery = SelectQueryBuilder<AnyTables, 'row', object>

/** Returns the query of these records, also of those in the trash. */
export const recordsWithIds = (resource: Resource, ids: readonly RecordId[]): RecordQuery =>
  selectFrom(resource, { which: 'all' }).where(sql<boolean>`id = any(${ids.filter(isExactId)})`)

/** Returns the query of those of the records that have these ids. */
export const withIds = ({ idKind }: Resource, records: RecordQuery, ids: readonly string[]): RecordQuery =>
  records.where(sql<boolean>`id = any(${ids}::${sql.raw(idKind)}[])`)

/** Returns one watcher for all features of a repository. Undefined if none watches its writes. */
export function watcherOf(
  resource: Resource,
  features: readonly RecordFeature[],
  why: string | null,
): WriteWatcher | undefined {
  const watchers = features.flatMap((feature) => feature.watch?.(resource, why) ?? [])
  return watchers.length < 2 ? watchers[0] : together(resource, watchers)
}

/** Returns the methods with those that features add. Throws if two have one name: a feature can't replace a method. */
export function withMethods<Methods extends object>(
  methods: Methods,
  resource: Resource,
  added: readonly ((resource: Resource) => object)[],
): Methods {
  return added.reduce<Methods>((all, add) => {
    const more = add(resource)
    const repeated = Object.keys(more).find((name) => name in all)
    if (repeated === undefined) return { ...all, ...more }
    throw new Error(`${resource.name}: a feature adds the method ${repeated}, which exists.`)
  }, methods)
}

const together = (resource: Resource, watchers: readonly WriteWatcher[]): WriteWatcher => ({
  async inserted(ids) {
    for (const watcher of watchers) await watcher.inserted(ids)
  },
  async before(action, records) {
    const watched: WatchedRecords[] = []
    // The first watcher locks the records, so that the others find the same ones.
    for (const watcher of watchers)
      watched.push(
        await watcher.before(action, watched[0] ? withIds(resource, records, watched[0].ids) : records),
      )
    const { ids } = watched[0] as WatchedRecords
    if (watched.some((one) => one.ids.length !== ids.length))
      throw new Error(
        `A feature of ${resource.name} left records out of a write. It must return all, or throw.`,
      )
    return {
      ids,
      async after() {
        for (const one of watched) await one.after()
      },
    }
  },
})
