import DataLoader from 'dataloader'
import type { ReadonlyKysely } from 'kysely/readonly'
import type { Tables } from '../../resource/tables.ts'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { declaredAt } from '../../resource/declared-at.ts'
import { memoOf, contextState } from '../../policy/policy-state.ts'

type Find<Key, Value> = (
  db: ReadonlyKysely<Tables>,
  keys: readonly Key[],
  ctx: PolicyContext,
) => Promise<ReadonlyMap<Key, Value>>

const LARGEST_BATCH = 1_000

/**
 * Returns a function for rules that need related rows. Concurrent calls share one query of up to 1,000 keys. Each key
 * is read once per request, until the request writes.
 *
 * The function returns undefined for a key that is not in the result of `find`, and if the context has no database.
 * It rejects if the query fails; the policy then denies.
 *
 * ```ts
 * const isMember = lookup<number, boolean>(async (db, teamIds, ctx) => {
 *   const rows = await db.selectFrom('members').select('team_id')
 *     .where('team_id', 'in', teamIds).where('user_id', '=', ctx.userId).execute()
 *   return new Map(rows.map(({ team_id }) => [team_id, true]))
 * })
 * // in a policy: canShow: async (ctx, team) => (await isMember(ctx, team.id)) ?? false
 * ```
 */
export const lookup = <Key extends string | number, Value>(find: Find<Key, Value>): Lookup<Key, Value> =>
  lookupAt(declaredAt(lookup), find)

type Lookup<Key, Value> = (ctx: PolicyContext, key: Key) => Promise<Value | undefined>

/** Returns the lookup of a rule that is declared at this place; null for a part of another one, which no trace lists. */
export function lookupAt<Key extends string | number, Value>(
  place: string | null,
  find: Find<Key, Value>,
): Lookup<Key, Value> {
  if (place !== null && readsWithRawSql(find)) rawPlaces.add(place)
  return async (ctx, key) => {
    const { lookups } = memoOf(ctx)
    const loader = (lookups.get(find) as Loader<Key, Value> | undefined) ?? batched(find, ctx)
    lookups.set(find, loader)
    const value = await loader.load(key)
    if (place !== null) contextState(ctx).lookupTrace?.push({ declaredAt: place, key, value })
    return value
  }
}

type Loader<Key, Value> = DataLoader<Key, Value | undefined>

function batched<Key, Value>(find: Find<Key, Value>, ctx: PolicyContext): Loader<Key, Value> {
  const findAll = async (keys: readonly Key[]) => {
    const values = ctx.db === undefined ? new Map<Key, Value>() : await find(ctx.db, keys, ctx)
    return keys.map((key) => values.get(key))
  }
  return new DataLoader(findAll, { maxBatchSize: LARGEST_BATCH })
}

/** Matches a raw select and a raw value of a select list, in JavaScript: sql`exists (select …)`, sql`count(*)`.as('n'). */
const RAW = /\bsql\)?\s*`[^`]*(?:\bselect\b[^`]*`|`\s*\)?\s*\.as\()|\bsql\)?\s*\.raw\b|\bCompiledQuery\b/i

/** Returns whether the source of a function contains raw SQL that reads rows. They are read without locks. */
export const readsWithRawSql = (read: (...args: never[]) => unknown): boolean => RAW.test(String(read))

const rawPlaces = new Set<string>()

/** Returns the places of the lookups that read with raw SQL. */
export const rawLookups = (): string[] => [...rawPlaces].toSorted()
