import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Narrowing } from '../authorization/scope.ts'
import { readRow } from '../database/rows.ts'
import { LIST, rowVersion, selectFrom } from '../database/statements.ts'
import { type Page, toPage } from '../pagination/page.ts'
import type { PageRequest } from '../pagination/page-request.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'

export interface ListOptions<R extends Resource> {
  /** Narrows the list further; AND-ed to what may be seen. */
  where?: (is: ExpressionBuilder<Tables, R['table']>) => Expression<SqlBool>
}

/** Lists of the rows that somebody may see, newest first. */
export interface Listing<R extends Resource> {
  /** Every row; nothing limits it. */
  findAll(options?: ListOptions<R>): Promise<RowOf<R>[]>
  count(options?: ListOptions<R>): Promise<number>
  page(request: PageRequest, options?: ListOptions<R>): Promise<Page<RowOf<R>>>
}

/** Counting first is cheaper from here on: beyond this offset a page costs as much as the count does. */
const DEEP_OFFSET = 10_000

/** The lists of a resource, each of its statements narrowed by `visible`. */
export function listing<R extends Resource>(resource: R, visible: Narrowing): Listing<R> {
  const narrowed = (where: ListOptions<R>['where']) =>
    selectFrom(resource)
      .modifyFront(sql.raw(LIST))
      .where(visible)
      .$if(where !== undefined, (query) =>
        query.where((is) => is.parens((where as unknown as Narrowing)(is))),
      )

  // Ids rise as rows are added: newest first, and the same order every time.
  const rows = (where: ListOptions<R>['where']) =>
    narrowed(where).selectAll().select(rowVersion).orderBy('id', 'desc')

  const read = async (query: ReturnType<typeof rows>) =>
    (await query.execute()).map((stored) => readRow(resource, stored))

  const count = async ({ where }: ListOptions<R> = {}) => {
    const { total } = await narrowed(where)
      .select(sql<string>`count(*)`.as('total'))
      .executeTakeFirstOrThrow()

    return Number(total)
  }

  return {
    findAll: ({ where } = {}) => read(rows(where)),
    count,
    async page(request, options = {}) {
      const slice = () => read(rows(options.where).limit(request.limit).offset(request.offset))
      if (request.offset > DEEP_OFFSET) {
        const total = await count(options)
        return toPage(request.offset < total ? await slice() : [], total, request)
      }
      const content = await slice()
      return toPage(content, lastTotal(content.length, request) ?? (await count(options)), request)
    },
  }
}

/** The total that a slice proves by itself: it ends inside the page, or there is no row at all. Null when it proves none. */
function lastTotal(length: number, { page, limit, offset }: PageRequest): number | null {
  const endsHere = length < limit && (length > 0 || page === 1)
  return endsHere ? offset + length : null
}
