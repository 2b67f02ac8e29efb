import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, repository, resource } from 'pergola'
import { missingIndexes } from 'pergola/database'
import { testDatabase } from 'pergola/testing'

interface AtlasTable {
  id: Generated<number>
  title: string
  code: string
  note: string | null
  token: string
  kept: boolean
  created_at: string
  deleted_at: string | null
}

declare module 'pergola' {
  interface Tables {
    atlases: AtlasTable
    unmade: AtlasTable
    maps: { id: number } & Record<(typeof LONG)[number], string>
  }
}

const Atlas = resource('Atlas', {
  table: 'atlases',
  input: z.strictObject({}),
  columns: ['code', 'created_at', 'kept', 'note', 'title', 'token'],
  search: ['title', 'token'],
  sort: ['title', 'note', 'code', 'id'],
  filters: { title: field.string(), kept: z.stringbool() },
  softDelete: true,
})
const LONG = [`a${'x'.repeat(58)}1`, `a${'x'.repeat(58)}2`] as const
const Map = resource('Map', { table: 'maps', input: z.strictObject({}), columns: LONG, sort: LONG })
const maps = [{ repository: repository(Map, {}) }]
const Unmade = resource('Unmade', {
  table: 'unmade',
  input: z.strictObject({}),
  columns: ['code', 'created_at', 'deleted_at', 'kept', 'note', 'title', 'token'],
  sort: ['title'],
})
const declared = [
  { repository: repository(Atlas, { order: '-created_at' }) },
  { repository: repository(Unmade, {}) },
]

const { db } = await testDatabase()
const run = (text: string) => sql.raw(text).execute(db)
const remedies = async () => (await missingIndexes(declared, db)).flatMap((missing) => missing.remedies)

beforeAll(async () => {
  await run(`create table atlases (
    id bigint primary key generated always as identity, title text not null, code text not null unique, note text,
    token uuid not null, kept boolean not null default true, created_at timestamptz not null, deleted_at timestamptz)`)
  await run('create extension if not exists pg_trgm')
})
afterEach(async () => {
  await run('drop index if exists one')
})

const LIVE = 'where deleted_at is null'
const SEARCH = `create index concurrently atlases_title_search on atlases using gin (title gin_trgm_ops) ${LIVE}`
const TITLE = `create index concurrently atlases_title_sort on atlases using btree (title, id) ${LIVE}`
const NOTE = `create index concurrently atlases_note_sort on atlases using btree (note, id) ${LIVE}`
const CREATED_AT = `create index concurrently atlases_created_at_sort on atlases using btree (created_at, id) ${LIVE}`
const KEPT = `create index concurrently atlases_kept_filter on atlases using btree (kept, id) ${LIVE}`
const ALL = [SEARCH, TITLE, NOTE, CREATED_AT, KEPT]

describe('missingIndexes', () => {
  // A unique column needs no further index, and a uuid can't have one for searches.
  it('returns the statement for each column that is searched, sorted or filtered, and skips missing tables', async () => {
    expect(await remedies()).toEqual(ALL)
  })

  it.each(ALL)('accepts the index of its own statement: %s', async (statement) => {
    await run(statement.replace(/atlases_\w+/, 'one'))
    expect(await remedies()).toEqual(ALL.filter((other) => other !== statement))
  })

  it.each([
    ['title desc, id desc', TITLE],
    ['title, id, note', TITLE],
    ['created_at desc, id desc', CREATED_AT],
    ['kept', KEPT],
    ['kept desc, note', KEPT],
  ])('accepts an index on (%s)', async (columns, found) => {
    await run(`create index one on atlases (${columns})`)
    expect(await remedies()).toEqual(ALL.filter((other) => other !== found))
  })

  it.each([
    'btree (title)',
    'btree (title, note)',
    'btree (title desc, id)',
    'btree (title desc nulls last, id desc nulls last)',
    'btree (title, id) where deleted_at is not null',
    'btree (title collate "C", id)',
    'hash (title)',
    'btree (id, kept)',
    'btree (kept) where kept',
    'btree (lower(title), id)',
    `gin ((note || title) gin_trgm_ops)`,
  ])('does not accept an index using %s', async (definition) => {
    await run(`create index one on atlases using ${definition}`)
    expect(await remedies()).toEqual(ALL)
  })

  it('does not accept an index whose concurrent creation failed', async () => {
    await run('create index one on atlases (title, id)')
    await run(`update pg_index set indisvalid = false where indexrelid = 'one'::regclass`)
    expect(await remedies()).toEqual(ALL)
  })

  it('first drops the invalid index of the same name', async () => {
    await run('create index atlases_title_sort on atlases (title, id)')
    await run(`update pg_index set indisvalid = false where indexrelid = 'atlases_title_sort'::regclass`)
    expect(await remedies()).toEqual([
      SEARCH,
      'drop index concurrently atlases_title_sort',
      TITLE,
      NOTE,
      CREATED_AT,
      KEPT,
    ])
    await run('drop index atlases_title_sort')
  })

  it.each(['', 'partition by range (id)'])(
    'returns statements that succeed for a table %s',
    async (partition) => {
      await run(
        `create table maps (id bigint, ${LONG.map((column) => `${column} text`).join(', ')}) ${partition}`,
      )
      if (partition !== '') await run('create table map partition of maps default')
      const [sort] = await missingIndexes(maps, db)
      // A failed statement leaves an invalid index.
      const [name] = /maps_\w+/.exec(sort?.remedies[0] ?? '') ?? []
      await run(`create index ${name} on only maps (id)`)
      await run(`update pg_index set indisvalid = false where indrelid = 'maps'::regclass`)
      const missing = await missingIndexes(maps, db)
      expect(missing).toHaveLength(2)
      for (const statement of missing.flatMap((index) => index.remedies)) await run(statement)
      expect(await missingIndexes(maps, db)).toEqual([])
      await run('drop table maps')
    },
  )

  it('names the repository, and first creates a missing extension', async () => {
    await run('drop extension pg_trgm cascade')
    const [first] = await missingIndexes(declared, db)
    await run('create extension pg_trgm')
    expect(first).toEqual({
      problem: expect.stringMatching(
        /missing-indexes\.test\.ts:\d+: lists of Atlas are searched by title, which has no index\.$/,
      ) as string,
      remedies: ['create extension if not exists pg_trgm', SEARCH],
    })
  })
})
