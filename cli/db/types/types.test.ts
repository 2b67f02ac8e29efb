import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { compareColumns } from './compare-columns.ts'
import { declaredColumns } from './declared-columns.ts'
import { printTypes } from './print-types.ts'
import { storedColumns } from './stored-columns.ts'

const { db } = await testDatabase()
const root = join(import.meta.dirname, '../../..')

const LEFT_OUT = 'An insert may leave it out, and the database has no default for it.'
const NOT_NULL = 'It may be written as null, and the database refuses that.'
const COMPUTED = 'The database computes it: make it GeneratedAlways.'

/** Every type that a scaffold knows and some more, nullable and not, with defaults and without. */
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
  tags: Generated<string[]>
  sizes: string[] | null
  ratios: number[] | null
  moods: string | null
  mood: 'happy' | 'sad'
  picture: Buffer | null
  score: number
  twice: GeneratedAlways<number | null>
  created_at: ColumnType<string, string | undefined, never>
}`

describe('printTypes', () => {
  it('writes the interfaces that the columns ask for', async () => {
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

  it('names a table of another schema with it, and none of the database’s own', async () => {
    const tables = new Set((await storedColumns(db)).map(({ table }) => table))
    expect(tables).toContain('other.logs')
    expect([...tables].filter((table) => table.includes('kysely'))).toEqual([])
    expect(printTypes((await storedColumns(db)).filter(({ table }) => table === 'other.logs'))).toContain(
      "'other.logs': OtherLogTable",
    )
  })
})

describe('declaredColumns and compareColumns', () => {
  it('find nothing to say of the application’s own tables', async () => {
    const stored = await storedColumns(db)
    const declared = declaredColumns(root, stored)
    const tables = declared.map(({ table }) => table)
    expect(tables).toEqual(expect.arrayContaining(['attempts', 'sessions', 'users']))
    // A table of a test is no table of the application.
    expect(tables).not.toContain('entries')
    expect(compareColumns(declared, stored)).toEqual([])
  })

  it('agree with what printTypes writes, for every type', async () => {
    const stored = await storedColumns(db)
    expect(compareColumns(declaredColumns(projectWith(printTypes(stored)), stored), stored)).toEqual([])
  })

  it.each<[before: string, after: string, ...differences: [column: string, problem: string][]]>([
    ['body: string | null', 'body: string', ['body', 'The types say string, the database string | null.']],
    [
      'title: string',
      'title: string | null',
      ['title', 'The types say string | null, the database string.'],
      ['title', LEFT_OUT],
    ],
    ['big: string', 'big: number', ['big', 'The types say number, the database string.']],
    ['owner_id: number', 'owner_id: string', ['owner_id', 'The types say string, the database number.']],
    [
      'tags: Generated<string[]>',
      'tags: Generated<string>',
      ['tags', 'The types say string, the database string[].'],
    ],
    ['amount: number', 'amount: Generated<number>', ['amount', LEFT_OUT]],
    ['amount: number', 'amount: ColumnType<number, number, number | null>', ['amount', NOT_NULL]],
    ['  token: string\n', '', ['token', "The types don't have it; it is string."]],
    ['token: string', 'token: string\n  taken: string', ['taken', 'The database has no such column.']],
    [`'happy' | 'sad'`, `'happy'`, ['mood', `The types say 'happy', the database 'happy' | 'sad'.`]],
    [
      `'happy' | 'sad'`,
      `'happy' | 'sad' | 'mad'`,
      ['mood', `The types say 'happy' | 'mad' | 'sad', the database 'happy' | 'sad'.`],
    ],
    [`'happy' | 'sad'`, 'string'],
    ['data: unknown', 'data: { pages: number }'],
    [
      'data: unknown',
      'data: { pages: number } | null',
      ['data', 'The types say { pages: number; } | null, the database unknown.'],
      ['data', LEFT_OUT],
    ],
    ['GeneratedAlways<number | null>', 'Generated<number | null>', ['twice', COMPUTED]],
    ['Generated<boolean>', 'boolean'],
  ])('say what is wrong when %s becomes %s', async (before, after, ...differences) => {
    const stored = (await storedColumns(db)).filter(({ table }) => table === 'things')
    const text = printTypes(stored)
    expect(text).toContain(before)
    const found = compareColumns(declaredColumns(projectWith(text.replace(before, after)), stored), stored)
    expect(found.map(({ column, problem }) => [column, problem])).toEqual(differences)
  })

  it('say that a table is missing, and nothing of its columns', () => {
    const declared = declaredColumns(
      projectWith(`declare module 'pergola' { interface Tables { gone: { id: number } } }`),
      [],
    )
    expect(compareColumns(declared, [])).toEqual([
      { table: 'gone', column: null, problem: 'The database has no such table.' },
    ])
  })
})

/** A project with this one file, in a folder of its own. */
function projectWith(text: string): string {
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
  writeFileSync(join(folder, 'app/things.ts'), text)
  return folder
}
const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))
