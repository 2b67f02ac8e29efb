import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { contextOf, inScope, policy, repository, resource, scope, withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { decide } from '../src/policy/decide.ts'

declare module 'pergola' {
  interface Tables {
    specimens: { id: Generated<number>; [column: string]: unknown }
    'vault.crates': { id: string; label: string; stored_at: string; version: Generated<number> }
  }
}

/** A column of each type: its type, and a value as SQL. */
const TYPES: Readonly<Record<string, readonly [type: string, value: string]>> = {
  flag: ['boolean', 'true'],
  whole: ['integer', '-7'],
  big: ['bigint', '9223372036854775807'],
  other_id: ['bigint', '9007199254740991'],
  exact: ['numeric', '123456789012345678901234567890.1234567890'],
  no_number: ['numeric', "'NaN'"],
  ratio: ['double precision', '0.1::float8 + 0.2::float8'],
  no_ratio: ['double precision', "'NaN'"],
  endless: ['double precision', "'-Infinity'"],
  single: ['real', '0.1'],
  plain: ['text', `$$quote " and \\ and \\x41, a line\nand 🌳$$`],
  padded: ['char(5)', "'ab'"],
  bytes: ['bytea', "'\\x00ff5c78'"],
  no_bytes: ['bytea', "''"],
  uuid: ['uuid', "'0193a5c2-7b1e-7c3d-8f4a-123456789abc'"],
  date: ['date', "'2026-02-28'"],
  ancient: ['date', "'0044-03-15 BC'"],
  time: ['time', "'23:59:59.123456'"],
  zoned_time: ['timetz', "'23:59:59.123456+05:30'"],
  moment: ['timestamptz', "'2026-04-27 12:00:00.123456+02'"],
  local: ['timestamp', "'2026-04-27 12:00:00.1'"],
  never: ['timestamptz', "'infinity'"],
  span: ['interval', "'1 year 2 mons 3 days -04:05:06.789012'"],
  no_span: ['interval', "'0'"],
  document: ['jsonb', `'{"a": [1, "x", null, {"b": 1.5}], "toPostgres": "c"}'`],
  list: ['jsonb', "'[1, [2], null]'"],
  word: ['jsonb', `'"a word"'`],
  source: ['json', `'{"a": [1, 2]}'`],
  words: ['text[]', `array['a', null, 'with "quotes", {braces}', '']`],
  nothing: ['text[]', "'{}'"],
  numbers: ['integer[]', "'{{1,2},{3,4}}'"],
  bigs: ['bigint[]', "'{9223372036854775807}'"],
  ratios: ['double precision[]', "'{NaN,Infinity,1.5}'"],
  exacts: ['numeric[]', "'{1.5,NaN}'"],
  moments: ['timestamptz[]', "array['2026-04-27 12:00:00.123456+02'::timestamptz]"],
  byte_lists: ['bytea[]', "array['\\x00ff'::bytea]"],
  documents: ['jsonb[]', `array['{"a":1}'::jsonb, '[1]'::jsonb]`],
  address: ['inet', "'10.0.0.0/8'"],
  range: ['int4range', "'[1,5)'"],
  bits: ['bit(4)', "'1010'"],
  search: ['tsvector', "to_tsvector('english', 'the fat cats')"],
  mood: ['specimen_mood', "'happy'"],
  moods: ['specimen_mood[]', "'{happy}'"],
  slug: ['specimen_slug', "'a-b'"],
  pair: ['specimen_pair', "row(1, 'a, b')"],
  missing: ['timestamptz', 'null'],
  place: ['point', "'(1,2)'"],
}

const Specimen = resource('Specimen', {
  table: 'specimens',
  input: z.strictObject({}),
  columns: Object.keys(TYPES),
})
/** The row under the name of the table, and the stored row. */
const specimenScope = scope(Specimen, {
  where: (_ctx, is) => is.lit(true),
  variants: {
    same: (_ctx, _is, { column }: { column: string }) => {
      const [own, stored] = [sql.ref(`specimens.${column}`), sql.ref(`stored.${column}`)]
      return sql<boolean>`(select ${stored}::text from specimens as stored where stored.id = specimens.id)
        is not distinct from ${own}::text and pg_typeof(${own})::text <> ''`
    },
  },
})
const specimens = repository(Specimen, { scope: specimenScope })

const testDb = await testDatabase()
beforeAll(async () => {
  await sql`create type specimen_mood as enum ('happy', 'sad')`.execute(testDb.db)
  await sql`create domain specimen_slug as text check (value ~ '^[a-z-]+$')`.execute(testDb.db)
  await sql`create type specimen_pair as (a integer, b text)`.execute(testDb.db)
  const columns = Object.entries(TYPES).map(([name, [type]]) => `${name} ${type}`)
  const values = Object.values(TYPES).map(([, value]) => value)
  await sql`create table specimens (id bigint generated always as identity primary key, ${sql.raw(columns.join(', '))})`.execute(
    testDb.db,
  )
  await sql`insert into specimens (${sql.raw(Object.keys(TYPES).join(', '))}) values (${sql.raw(values.join(', '))})`.execute(
    testDb.db,
  )
})

const decided = async (column: string, record: (row: object) => object) => {
  const rules = policy(Specimen, { canShow: inScope('same', { column }) as never })
  const registry = { policies: new Map([[Specimen, rules]]), scopes: new Map([[Specimen, specimenScope]]) }
  return withDatabase(testDb.db, async () => {
    const ctx = contextOf(null, { db: () => testDb.db, registry })
    const [row] = await specimens.asSystem('test').findAll()
    const question = { action: 'show', resource: Specimen, record: record(row as object) }
    return decide(registry.policies, ctx, question)
  })
}
const exceptPoint = ({ place: _place, ...row }: { place?: unknown }) => row

describe('inScope reads the values of a row', () => {
  it.each(Object.keys(TYPES).filter((column) => column !== 'place'))('exactly: %s', async (column) => {
    expect(await decided(column, exceptPoint)).toMatchObject({ allowed: true })
  })

  it.each(Object.keys(TYPES))('from the table, if the row is unchanged: %s', async (column) => {
    expect(await decided(column, (row) => row)).toMatchObject({ allowed: true })
  })

  it.each([
    ['big', '9223372036854775806'],
    ['moment', '2026-04-27T10:00:00.123457Z'],
    ['bytes', Buffer.from([1])],
    ['words', ['a']],
    ['missing', '2026-04-27T10:00:00.123457Z'],
    ['flag', null],
  ])('and their changes: %s', async (column, value) => {
    const changed = (row: object) => ({ ...exceptPoint(row), [column]: value })
    expect(await decided(column, changed)).toMatchObject({ allowed: false, cause: 'denied' })
  })

  it('and denies a point that is not from the table, whose text the driver has replaced', async () => {
    expect(await decided('flag', (row) => ({ ...row }))).toMatchObject({ allowed: false, cause: 'error' })
  })

  it('and accepts a bigint, a date and undefined in a copy', async () => {
    const draft = (row: object) => ({
      ...exceptPoint(row),
      big: 9223372036854775807n,
      moment: new Date('2026-04-27T10:00:00.123Z'),
      whole: undefined,
    })
    expect(await decided('big', draft)).toMatchObject({ allowed: true })
    expect(await decided('whole', draft)).toMatchObject({ allowed: true })
    expect(await decided('moment', draft)).toMatchObject({ cause: 'denied' })
  })
})

describe('inScope of a table with a schema, UUIDs and a managed version', () => {
  const Crate = resource('Crate', {
    table: 'vault.crates',
    id: 'uuid',
    input: z.strictObject({ label: z.string() }),
    columns: ['stored_at'],
    version: true,
  })
  const crateScope = scope(Crate, {
    where: (_ctx, is) =>
      is.and([
        is('vault.crates.label', '=', 'open'),
        is.exists(
          is
            .selectFrom('vault.crates as other')
            .select('other.id')
            .whereRef('other.id', '=', 'vault.crates.id'),
        ),
      ]),
  })
  const cratePolicy = policy(Crate, { canShow: inScope() })
  const crates = repository(Crate, { policy: cratePolicy, scope: crateScope })
  const registry = { policies: new Map([[Crate, cratePolicy]]), scopes: new Map([[Crate, crateScope]]) }

  it('decides on a row, an outdated row and an updated row', async () => {
    await sql`create schema vault`.execute(testDb.db)
    await sql`create table vault.crates (id uuid primary key default gen_random_uuid(), label text not null,
      stored_at timestamptz not null default now(), version integer not null default 1)`.execute(testDb.db)
    const answers = await withDatabase(testDb.db, async () => {
      const crate = await crates
        .asSystem('test')
        .insert({ label: 'open', stored_at: new Date().toISOString() } as never)
      const ask = async (record: object | null) => {
        const ctx = contextOf(null, { db: () => testDb.db, registry })
        return (
          await decide(registry.policies, ctx, { action: 'show', resource: Crate, record: record ?? {} })
        ).cause
      }
      const first = [await ask(crate), await ask({ ...crate, label: 'shut' })]
      const shut = await crates.asSystem('test').update(crate.id, { label: 'shut' })
      return [...first, await ask(crate), await ask(shut), await ask({ ...shut, label: 'open' })]
    })
    expect(answers).toEqual(['allowed', 'denied', 'denied', 'denied', 'allowed'])
  })
})
