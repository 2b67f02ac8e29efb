import { sql } from 'kysely'
import { type Page, toPage } from '../pagination/page.ts'
import type { PageRequest } from '../pagination/page-request.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { ListOptions, ListSource } from './list-source.ts'

export interface OffsetPages<R extends Resource> {
  count(options?: ListOptions<R>): Promise<number>
  page(request: PageRequest, options?: ListOptions<R>): Promise<Page<RowOf<R>>>
}

/** Counting first is cheaper from here on: beyond this offset a page costs as much as the count does. */
const DEEP_OFFSET = 10_000

export function offsetPages<R extends Resource>(source: ListSource<R>): OffsetPages<R> {
  const count = async (options: ListOptions<R> = {}) => {
    const { total } = await source
      .narrowed(options)
      .select(sql<string>`count(*)`.as('total'))
      .executeTakeFirstOrThrow()

    return Number(total)
  }
  return {
    count,
    async page(request, options = {}) {
      const slice = () =>
        source.read(source.rows(options).orderBy('id', 'desc').limit(request.limit).offset(request.offset))
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
