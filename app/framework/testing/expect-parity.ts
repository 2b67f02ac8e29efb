import { expect } from 'vitest'
import { decide } from '../src/policy/decide.ts'
import { listSource } from '../src/lists/list-source.ts'
import { listing } from '../src/lists/listing.ts'
import { visibleTo } from '../src/policy/narrowing.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'
import { allRecords, type Row } from './all-records.ts'
import type { TestApp, TestUser } from './test-app.ts'

export interface ParityOptions {
  /** Allows records that can be shown but are not listed. */
  unlisted?: boolean
}

/**
 * Expects that the scope and the policy of a resource agree: for a guest and for every user in the database, the
 * list contains exactly the rows that `canShow` allows. `unlisted: true` allows records that can be shown but are
 * not listed. Also fails if every user sees all rows or none, since this would prove nothing. Reads the whole table for
 * each user.
 *
 * ```ts
 * it('lists what canShow allows', async () => {
 *   await app.within(() => makePost({ published: false }))
 *   await expectParity(app, Post)
 * })
 * ```
 */
export async function expectParity(
  app: TestApp,
  resource: Resource,
  { unlisted = false }: ParityOptions = {},
): Promise<void> {
  const actors = [null, ...(await app.within(app.allUsers))]
  const rows = await app.within(() => allRecords(resource))
  const views = await Promise.all(
    actors.map((actor) => app.within(() => viewOf(app, { resource, rows, actor }))),
  )
  const leaked = views.flatMap((view) => view.leaked)
  expect(leaked, 'The list contains records that canShow denies.').toEqual([])
  const missing = unlisted ? [] : views.flatMap((view) => view.missing)
  expect(missing, 'The list lacks records that canShow allows.').toEqual([])
  const isMeaningful = views.some(({ listed }) => listed > 0 && listed < rows.length)
  expect(
    isMeaningful,
    `Every user sees all ${rows.length} rows or none, which proves nothing. Create rows that only some users see.`,
  ).toBe(true)
}

interface View {
  resource: Resource
  rows: readonly Row[]
  actor: Omit<TestUser, 'email'> | null
}

async function viewOf(app: TestApp, { resource, rows, actor }: View) {
  const ctx = app.contextFor(actor)
  const visible = visibleTo(ctx, resource)
  const list = (await listing(listSource(resource, visible)).findAll()) as Row[]
  const listed = new Set(list.map(({ id }) => id))
  const shown = new Set<RecordId>()
  // Some at a time, so that the rules of these rows share their queries.
  const decideOn = async (record: Row) => {
    const { allowed } = await decide(app.registry.policies, ctx, { action: 'show', resource, record })
    if (allowed) shown.add(record.id)
  }
  for (let first = 0; first < rows.length; first += AT_ONCE)
    await Promise.all(rows.slice(first, first + AT_ONCE).map(decideOn))
  const inWords = (ids: Set<RecordId>) =>
    [...ids].map((id) => `${actor?.name ?? 'a guest'}: ${resource.name} ${id}`)
  return {
    listed: listed.size,
    leaked: inWords(listed.difference(shown)),
    missing: inWords(shown.difference(listed)),
  }
}

const AT_ONCE = 50
