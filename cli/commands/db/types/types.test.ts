import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { compareColumns } from './compare-columns.ts'
import { printTypes } from './print-types.ts'
import { storedColumns } from './stored-columns.ts'

const { db } = await testDatabase()
const root = join(import.meta.dirname, '../../../..')

const LEFT_OUT = 'The type lets an insert leave this column out, and the database has no default for it.'
const NOT_NULL = 'The type lets an insert or an update write null, and the database refuses null.'
const COMPUTED = 'The database computes this column. Declare it as GeneratedAlways.'
const has = (type: string) => `The type differs. The database has ${type}.`

/** Creates columns of every type of the scaffold and of other types, with and without nulls and defaults. */
beforeAll(async () => {
  await sql`create type mood as enum ('happy', 'sad')`.execute(db)
  await sql`create domain score as integer not null check (value > 0)`.execute(db)
  await sql`
    create table things (
      id bigint primary key generated always as identity, title text not null, body text, published boolean not null default false,
      amount integer not null, big bigint not null, price numeric(12, 2) not null default 0, ratio double precision,
      on_day date not null, at_time time(0) not null, at timestamptz(3) not null, token uuid not null,
      data jsonb not null, extra jsonb, status text not null default 'draft', owner_id bigint not null, buyer_id bigint,
      tags text[] not null default '{}', sizes bigint[], ratios numeric[], moods mood[], mood mood not null, picture bytea,
      score score, twice integer generated always as (amount * 2) stored, created_at timestamptz not null default now(),
      constraint things_status_known check (status in ('draft', 'it''s out')))`.execute(db)
  await sql`create schema other`.execute(db)
  await sql`create table other.logs (line text not null)`.execute(db)
})

const THINGS = `export interface ThingTable {
  id: Generated<number>
  title: string
  body: string | null
  published: Generated<boolean>
  amount: number
  big: string
  price: Generated<string>
  ratio: number | null
  on_day: string
  at_time: string
  at: string
  token: string
  data: unknown
  extra: unknown | null
  status: Generated<'draft' | 'it\\'s out'>
  owner_id: number
  buyer_id: number | null
  tags: Generated<readonly string[]>
  sizes: readonly string[] | null
  ratios: readonly number[] | null
  moods: string | null
  mood: 'happy' | 'sad'
  picture: Buffer | null
  score: number
  twice: GeneratedAlways<number | null>
  created_at: ColumnType<string, string | undefined, never>
}`

describe('printTypes', () => {
  it('returns the interfaces for the columns', async () => {
    const columns = await storedColumns(db)
    expect(printTypes(columns.filter(({ table }) => table === 'things'))).toBe(
      `import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

${THINGS}

declare module 'pergola' {
  interface Tables {
    things: ThingTable
  }
}`,
    )
  })

  it('qualifies tables of other schemas, and omits system tables', async () => {
    const tables = new Set((await storedColumns(db)).map(({ table }) => table))
    expect(tables).toContain('other.logs')
    expect([...tables].filter((table) => table.includes('kysely'))).toEqual([])
    expect(printTypes((await storedColumns(db)).filter(({ table }) => table === 'other.logs'))).toContain(
      "'other.logs': OtherLogTable",
    )
  })
})

// Each test runs the TypeScript compiler.
describe('compareColumns', () => {
  it('returns no differences for the tables of the application', async () => {
    expect(compareColumns(root, await storedColumns(db))).toEqual([])
  })

  it('reads every table type of the application, without those of its tests', () => {
    const tables = compareColumns(root, []).map(({ table }) => table)
    expect(tables).toEqual(expect.arrayContaining(['account_tokens', 'sessions', 'users']))
    expect(tables).not.toContain('test_notes')
  })

  it('returns no differences for the types that printTypes prints', async () => {
    const stored = await storedColumns(db)
    expect(compareColumns(projectWith(printTypes(stored)), stored)).toEqual([])
  })

  type Case = [before: string, after: string, ...differences: [column: string, problem: string][]]
  const CASES: Case[] = [
    ['body: string | null', 'body: string', ['body', has('string | null')]],
    ['title: string', 'title: string | null', ['title', has('string')], ['title', LEFT_OUT]],
    ['big: string', 'big: number', ['big', has('string')]],
    ['owner_id: number', 'owner_id: string', ['owner_id', has('number')]],
    ['tags: Generated<readonly string[]>', 'tags: Generated<string>', ['tags', has('readonly string[]')]],
    ['amount: number', 'amount: Generated<number>', ['amount', LEFT_OUT]],
    ['amount: number', 'amount: ColumnType<number, number, number | null>', ['amount', NOT_NULL]],
    ['  token: string\n', '', ['token', 'The type lacks this column. The database has string.']],
    ['token: string', 'token: string\n  taken: string', ['taken', 'The database has no such column.']],
    [`'happy' | 'sad'`, `'happy'`, ['mood', has(`'happy' | 'sad'`)]],
    [`'happy' | 'sad'`, `'happy' | 'sad' | 'mad'`, ['mood', has(`'happy' | 'sad'`)]],
    [`'happy' | 'sad'`, 'string'],
    ['data: unknown', 'data: { pages: number }'],
    ['data: unknown', 'data: { pages: number } | null', ['data', has('unknown')], ['data', LEFT_OUT]],
    ['GeneratedAlways<number | null>', 'Generated<number | null>', ['twice', COMPUTED]],
    ['Generated<boolean>', 'boolean'],
  ]

  // Runs the compiler once for all cases. Each case has its own copy of the table.
  const differencesOf = memoized(async () => {
    const stored = (await storedColumns(db)).filter(({ table }) => table === 'things')
    const copies = CASES.map(([before, after], index) => {
      const columns = stored.map((column) => ({ ...column, table: `things_${index}` }))
      const text = printTypes(columns)
      if (!text.includes(before)) throw new Error(`${before} is not in ${text}`)
      return { columns, text: text.replace(before, after) }
    })
    const project = projectWith(...copies.map(({ text }) => text))
    return compareColumns(
      project,
      copies.flatMap(({ columns }) => columns),
    )
  })

  it.each(CASES.map((one, index) => [index, ...one] as const))(
    'returns the differences of case %i, in which %s becomes %s',
    async (index, _before, _after, ...differences) => {
      const found = (await differencesOf()).filter(({ table }) => table === `things_${index}`)
      expect(found.map(({ column, problem }) => [column, problem])).toEqual(differences)
    },
  )

  it('returns one difference for each table that the database lacks', () => {
    const project = projectWith(`declare module 'pergola' { interface Tables { gone: { id: number } } }`)
    // The tables of the framework are missing, too.
    const found = compareColumns(project, []).filter(({ table }) => table === 'gone')
    expect(found).toEqual([{ table: 'gone', column: null, problem: 'The database has no such table.' }])
  })
})

/** Returns a new folder with a project of these files. */
function projectWith(...texts: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'types-'))
  folders.push(folder)
  mkdirSync(join(folder, 'app'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(
    join(folder, 'package.json'),
    '{ "type": "module", "imports": { "pergola": "./app/framework.ts" } }',
  )
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['app'] }),
  )
  writeFileSync(join(folder, 'app/framework.ts'), 'export interface Tables {}')
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, `app/things-${index}.ts`), text)
  return folder
}
const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

/** Returns a function that calls `make` only once. */
function memoized<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => (value ??= make())
}
