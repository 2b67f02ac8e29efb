import { type Expression, ExpressionWrapper, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { enclosed } from '../rows/enclosed.ts'
import { listMark } from '../database/query-marks.ts'
import { isDataException } from '../database/sql-states.ts'
import { InvalidCursor } from '../http/errors.ts'
import type { CursorPage } from '../pagination/cursor-page.ts'
import type { CursorRequest } from '../pagination/cursor-request.ts'
import { ofList } from '../pagination/page-size.ts'
import { equalTo, type KeyValues, reversed, type SortKey } from '../pagination/keyset.ts'
import { acceptsPlace, rejectHiddenKeys, rejectNullableKeys, rejectOwnOrder } from './cursor-checks.ts'
import {
  type CursorList,
  type CursorWalk,
  inOrder,
  type Placed,
  readRange,
  readSlice,
  withoutKeys,
} from './cursor-slice.ts'
import { cursorTokens, type Seek, type TokenPlace } from './cursor-token.ts'
import type { Query } from './list-source.ts'

type Tokens = ReturnType<typeof cursorTokens>

/**
 * Returns one page of a query, for joins and for lists without a repository. `keys` are the columns of its order; no
 * two rows may have the same values in all of them. The cost doesn't grow with the depth of the page. The first page in
 * a process costs one query more, which checks the keys.
 *
 * Throws if the query has its own order or limit, if a key may be null without declared `nulls`, and if no row of its
 * resource contains it. Returns the first page for a token of another list. With `invalidCursor: 'refuse'`, throws
 * `InvalidCursor` (400) instead.
 *
 * ```ts
 * await pageByCursor(database().selectFrom('posts').innerJoin('users', 'users.id', 'author_id').select(['title', 'name']),
 *   cursorRequest(req), { name: 'titles', keys: [{ column: 'posts.id', direction: 'desc' }] })
 * ```
 */
export async function pageByCursor<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  request: CursorRequest,
  walk: CursorWalk,
): Promise<CursorPage<Row>> {
  const node = query.toOperationNode()
  rejectOwnOrder(walk.name, node)
  rejectHiddenKeys(walk, node)
  // Otherwise, a range would limit only the last part of raw SQL with OR.
  const own = node.where && enclosed(new ExpressionWrapper(node.where.where))
  const rows = own === undefined ? query : query.clearWhere().where(own)
  // The mark makes a failed query a failed list.
  const list = rows.modifyFront(listMark()) as unknown as Query<Record<string, unknown>>
  const read: CursorList['read'] = ({ condition, keys, limit }) =>
    inOrder(condition === null ? list : list.where(condition), keys, limit).execute()
  const page = await readCursorPage((use) => use({ ...walk, query: () => list, read }), request)
  return ofList({ ...page, content: page.content.map(withoutKeys) as Row[] }, request.sizes)
}

type CursorRows = CursorPage<Record<string, unknown>>

/** Passes the list to `use`, and returns its result. May do so in a transaction. */
type WithList = (use: (list: CursorList) => Promise<CursorRows>) => Promise<CursorRows>

/** Returns one cursor page of a list, for repositories and for `pageByCursor`. Its rows have the columns of the keys. */
export async function readCursorPage(
  withList: WithList,
  { cursor, size }: CursorRequest,
): Promise<CursorRows> {
  try {
    return await withList(async (list) => {
      await rejectNullableKeys(list)
      const tokens = tokensOf(list)
      const seek = cursor === null ? null : await seekOf(list, tokens.decode(cursor))
      if (cursor !== null && seek === null && list.invalidCursor === 'refuse') throw new InvalidCursor()
      return pageAt(list, { seek, size, tokens })
    })
  } catch (error) {
    if (cursor === null || !isDataException(error)) throw error
    // The token is forged if a key in it is not a value of its column. If the query itself is broken, it fails again.
    return withList(async (list) => {
      const first = await pageAt(list, { seek: null, size, tokens: tokensOf(list) })
      if (list.invalidCursor === 'refuse') throw new InvalidCursor()
      return first
    })
  }
}

const tokensOf = (list: CursorList): Tokens => cursorTokens({ ...list, filter: list.filter ?? null })

/**
 * Returns the position of a token. Reads the values that were too long for the token from their row. Returns null if
 * the row no longer exists, and if a value is not one of its column.
 */
async function seekOf(list: CursorList, seek: ReturnType<Tokens['decode']>): Promise<Seek | null> {
  if (seek === null || !(await acceptsPlace(list, seek.place))) return null
  const { way, place } = seek
  if (isComplete(place)) return { way, place }
  const values = list.keys.map((key, index) => hasValue(key, place[index] ?? null))
  const condition = sql<SqlBool>`${sql.join(values, sql` and `)}`
  const [placed] = await readRange(list, { condition, keys: list.keys, limit: 1 })
  return placed === undefined ? null : { way, place: placed.place }
}

type LongPlace = NonNullable<TokenPlace>

const isComplete = (place: TokenPlace): place is KeyValues | null =>
  place === null || place.every((value) => typeof value === 'string' || value === null)

/** Returns the condition that a key has this value, or a value with this digest. */
function hasValue(key: SortKey, value: LongPlace[number]): Expression<SqlBool> {
  if (value === null || typeof value === 'string') return equalTo([key], [value])[0]!
  return sql<SqlBool>`encode(sha256(convert_to(${sql.ref(key.column)}::text, 'UTF8')), 'hex') = ${value.sha256}`
}

interface At {
  seek: Seek | null
  size: number
  tokens: Tokens
}

async function pageAt(list: CursorList, { seek, ...at }: At): Promise<CursorRows> {
  const { size } = at
  if (seek?.way !== 'prev') {
    const following = await readSlice(list, { after: seek?.place ?? null, limit: size + 1 })
    const ends = { has_next: following.length > size, has_previous: seek !== null }
    return toCursorPage(following.slice(0, size), { ...at, ...ends })
  }
  const keys = reversed(list.keys)
  const preceding = await readSlice(list, { after: seek.place, limit: size + 1, keys })
  // The previous page would be incomplete, so the full first page is returned instead.
  if (preceding.length < size) return pageAt(list, { seek: null, ...at })
  const rows = preceding.slice(0, size).toReversed()
  const next = await readSlice(list, { after: rows.at(-1)?.place ?? null, limit: 1 })
  return toCursorPage(rows, { ...at, has_next: next.length > 0, has_previous: preceding.length > size })
}

type Ends = Omit<At, 'seek'> & Pick<CursorRows, 'has_next' | 'has_previous'>

function toCursorPage(rows: readonly Placed[], { size, tokens, has_next, has_previous }: Ends): CursorRows {
  // An empty page has no rows for its tokens: its previous page is the end of the list.
  const token = (way: Seek['way'], end: Placed | undefined) =>
    tokens.encode({ way, place: end?.place ?? null })
  return {
    content: rows.map(({ row }) => row),
    size,
    next_cursor: has_next ? token('next', rows.at(-1)) : null,
    prev_cursor: has_previous ? token('prev', rows[0]) : null,
    has_next,
    has_previous,
  }
}
