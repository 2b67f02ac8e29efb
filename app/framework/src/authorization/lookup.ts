import DataLoader from 'dataloader'
import type { ReadonlyKysely } from 'kysely/readonly'
import type { Tables } from '../resource/tables.ts'
import { memoryOf } from './memory.ts'
import type { PolicyContext } from './policy-context.ts'

type Find<Key, Value> = (
  db: ReadonlyKysely<Tables>,
  keys: readonly Key[],
  ctx: PolicyContext,
) => Promise<ReadonlyMap<Key, Value>>

const LARGEST_BATCH = 1_000

/**
 * For rules that consult related rows: what is asked about at the same moment, as for the buttons of a page, is found by
 * one query, and each key once per request, until something is written. Undefined for what `find` leaves out, and where
 * there is no database; rejects when the query fails, which a rule may leave to deny.
 */
export function lookup<Key extends string | number, Value>(
  find: Find<Key, Value>,
): (ctx: PolicyContext, key: Key) => Promise<Value | undefined> {
  return async (ctx, key) => {
    const { lookups } = memoryOf(ctx)
    const loader = (lookups.get(find) as Loader<Key, Value> | undefined) ?? batched(find, ctx)
    lookups.set(find, loader)
    return loader.load(key)
  }
}

type Loader<Key, Value> = DataLoader<Key, Value | undefined>

function batched<Key, Value>(find: Find<Key, Value>, ctx: PolicyContext): Loader<Key, Value> {
  const findAll = async (keys: readonly Key[]) => {
    const found = ctx.db === undefined ? new Map<Key, Value>() : await find(ctx.db, keys, ctx)
    return keys.map((key) => found.get(key))
  }
  return new DataLoader(findAll, { maxBatchSize: LARGEST_BATCH })
}
