import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { migrate } from 'pergola/database'
import { testDatabase } from 'pergola/testing'
import { compareColumns } from '../../commands/db/types/compare-columns.ts'
import { storedColumns } from '../../commands/db/types/stored-columns.ts'
import { catalogOf } from '../../test-support/catalog.ts'
import { argumentsOf } from '../../test-support/quick-project.ts'
import { execute, schemaNamed } from '../../test-support/stored-schema.ts'
import { testProject } from '../../test-support/test-project.ts'
import type { ChangeOptions } from '../changes/change-options.ts'
import { changeResource } from '../changes/change-resource.ts'
import { destroy } from '../destroy-resource.ts'
import type { Project } from '../project/project.ts'
import { scaffoldNamed, scaffoldsIn } from '../project/record.ts'
import { scaffold } from '../scaffold-resource.ts'
import { quoted } from './adaptations.ts'
import { scaffoldTable } from './from-table.ts'

const project = await testProject()
const { root, db } = project
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The project without child processes, with the resources that the tests create. */
const quick: Project = {
  ...project,
  manifest: () => Promise.resolve(read('security.manifest.json')),
  async existing() {
    const existing = await project.existing()
    const created = scaffoldsIn(root).map(({ names }) => names)
    const targets = created.map((names) => ({
      names,
      label: 'id',
      id: 'bigint' as const,
      isUser: false,
      isSelf: false,
    }))
    return {
      ...existing,
      targets: [...existing.targets, ...targets],
      tables: new Set([...existing.tables, ...created.map(({ table }) => table)]),
    }
  },
}

/** Scaffolds a table, with the words of the command line before `--from-table`. */
function adopt(table: string, { words = '', on = quick, adapt = true, force = false } = {}) {
  const { name, ...given } = words === '' ? { name: '', fields: [], options: {} } : argumentsOf(words)
  const args = { name, ...given, options: { ...given.options, fromTable: table } }
  return scaffoldTable(on, args, { read: (work) => work(db), adapt, force })
}
const change = (name: string, changes: ChangeOptions) =>
  changeResource(quick, { args: { name, fields: [], options: {} }, changes })
const catalog = async (table: string) =>
  (await project.catalog()).filter((line) => new RegExp(`\\b${table}\\b`).test(line))
const migrationsOf = (table: string) => globSync(`app/db/migrations/*_adopt_${table}.ts`, { cwd: root })

const COLUMNS =
  'id bigint primary key generated always as identity, created_at timestamptz not null default now()'

beforeAll(() => execute(db, schemaNamed('pagila')))

describe('scaffoldTable', () => {
  it('lists the changes that the table needs, and writes nothing without adapt', async () => {
    const before = project.files()
    await expect(adopt('actor', { adapt: false })).rejects.toMatchObject({
      code: 3,
      message: `actor needs these changes before it can be a resource:
  alter table actor rename column actor_id to id;
  alter table actor add column created_at timestamptz not null default now();
  create index actor_created_at_sort on actor (created_at, id);
--adapt writes a migration with them and runs it. Other programs that use the table must follow. No files were written.`,
    })
    expect(project.files()).toEqual(before)
  })

  it.each([
    ['an unknown table', 'films', 'The database has no table films. Did you mean film? Available: '],
    [
      'a view',
      'actor_info',
      'actor_info is a view, and a resource needs a table: scaffold the tables that it reads.',
    ],
    [
      'a join table',
      'film_actor',
      'film_actor joins actor and film: declare it as a list of one of them, see docs/recipes/many-to-many.md.',
    ],
    [
      'a table whose parent is not a resource',
      'city',
      'city.country_id refers to country. Scaffold it first: npx cli scaffold --from-table country',
    ],
  ])('refuses %s with the remedy, and writes nothing', async (_, table, message) => {
    const before = project.files()
    await expect(adopt(table)).rejects.toThrow(message)
    expect(project.files()).toEqual(before)
  })

  it('writes a resource that has the types of the database', async () => {
    await adopt('language')
    const { notes } = await adopt('film', { words: 'movie title:string{1..100} --label title' })
    expect(notes).toContain(
      "film.special_features (text[]) has no field: pages don't show it, and it keeps its value.",
    )
    expect(scaffoldNamed(root, 'movie')?.scaffold.command.join(' ')).toBe(
      'movie description:text? release_year:integer{1901..2155}? language:references ' +
        'original_language:references:language? rental_duration:integer{-32768..32767}=3 rental_rate:decimal{4,2}=4.99 ' +
        'length:integer{-32768..32767}? replacement_cost:decimal{5,2}=19.99 rating:enum{G,PG,PG-13,R,NC-17}?=G ' +
        'title:string{1..100} --plural film --label title --from-table film --other-columns ' +
        '[{"name":"last_update","type":"Generated<string>"},{"name":"special_features","type":"readonly string[] | null"},' +
        '{"name":"fulltext","type":"Generated<string>"}]',
    )
    expect(read('app/film/movie.ts')).toContain("hidden: ['last_update', 'special_features', 'fulltext'],")
    expect(read('app/resources.ts')).toContain('{ repository: film, routes: { movieRoutes }, ')
    const differences = compareColumns(root, await storedColumns(db))
    expect(differences.filter(({ table }) => table === 'film' || table === 'language')).toEqual([])
    expect(
      await db
        .selectFrom('film' as never)
        .select('title' as never)
        .orderBy('id' as never)
        .execute(),
    ).toEqual([{ title: 'ACADEMY DINOSAUR' }, { title: 'ACE GOLDFINGER' }])
  })

  it('creates the same table in a database without it', async () => {
    const empty = await testDatabase()
    await migrate(empty.db, [join(root, 'app/framework/migrations'), join(root, 'app/db/migrations')])
    const tables = /\b(?:film|language|mpaa_rating|year)\b/
    // A sequence becomes an identity. The migration leaves out references to tables without a resource.
    const lines = async (url: string) =>
      (await catalogOf(url)).filter(
        (line) => tables.test(line) && !/\.id |\.(?:film_actor|film_cat|inventory)/.test(line),
      )
    expect((await lines(empty.url)).length).toBeGreaterThan(20)
    expect(await lines(empty.url)).toEqual(await lines(project.url))
  })

  it('adds fields to the resource', async () => {
    await scaffold(quick, argumentsOf('movie note:text?'))
    expect(await catalog('film')).toContain('column film.note text default  ')
    expect(read('app/film/movie.ts')).toContain('fulltext: Generated<string>')
  })

  it('changes fields, whose types become those of the scaffold', async () => {
    await change('movie', { rename: ['length:minutes'], type: ['rating:enum{G,PG,PG-13,R,NC-17,X}?=G'] })
    const lines = await catalog('film')
    expect(lines).toContain('column film.minutes smallint default  ')
    expect(lines).toContain("column film.rating text default 'G'::text ")
    expect(lines.find((line) => line.includes('film_rating_values'))).toContain("'X'::text")
  })

  it('renames the resource', async () => {
    await change('movie', { renameModel: 'picture' })
    expect(await catalog('film')).toEqual([])
    expect(await catalog('pictures')).toContain('column pictures.title text not null default  ')
    expect(scaffoldNamed(root, 'picture')?.scaffold.command).toContain('--from-table')
  })

  it('destroys the resource, and keeps the table with its rows and later columns', async () => {
    expect(await destroy(quick, 'picture')).toMatchObject({ table: 'kept' })
    expect(await catalog('pictures')).toContain('column pictures.note text default  ')
    expect(scaffoldNamed(root, 'picture')).toBeNull()
    expect(migrationsOf('film')).toHaveLength(1)
  })

  it('destroys a new resource, and restores the table', async () => {
    const before = await project.catalog()
    await adopt('category')
    expect(await catalog('category')).not.toEqual(before)
    expect(await destroy(quick, 'category')).toMatchObject({ table: 'kept' })
    expect(await project.catalog()).toEqual(before)
    expect(migrationsOf('category')).toEqual([])
  })

  it('writes a migration that only creates a table which needs no change', async () => {
    await execute(db, `create table receipts (${COLUMNS}, number text not null)`)
    await adopt('receipts', { adapt: false })
    expect(read(migrationsOf('receipts')[0] ?? '')).toContain(
      'down(): Promise<void> {\n  // The table stays.',
    )
    expect(await destroy(quick, 'receipt')).toMatchObject({ table: 'kept' })
  })

  it('asks for the values of nulls that an adaptation replaces', async () => {
    await execute(
      db,
      `create table tasks (${COLUMNS}, title text, "isDone" boolean); insert into tasks (title) values ('')`,
    )
    const update = 'update tasks set "isDone" = … where "isDone" is null'
    await expect(adopt('tasks')).rejects.toThrow(`Run this first: ${update}; or continue with --force.`)
    const { notes } = await adopt('tasks', { force: true })
    expect(notes).toContain(
      'The migration changes tasks: update tasks set is_done = false where is_done is null;',
    )
  })

  it('drops the checks of a column whose type changes, whatever their names', async () => {
    await execute(
      db,
      `create table levels (${COLUMNS}, level integer not null constraint low check (level between 1 and 5))`,
    )
    await adopt('levels')
    await change('level', { type: ['level:integer{1..9}'] })
    const checks = (await catalog('levels')).filter((line) => line.includes('CHECK'))
    expect(checks).toEqual(['constraint levels.levels_level_range CHECK (((level >= 1) AND (level <= 9)))'])
  })

  it('adopts a table and columns with the names of keywords', async () => {
    await execute(db, 'create table "order" (key integer primary key, "end" timestamp, "check" boolean)')
    await adopt('order', { words: 'order --plural order' })
    expect(await catalog('order')).toContain('column order.check boolean not null default false ')
  })

  it('creates a domain whose check contains dollar signs', async () => {
    await execute(
      db,
      `create domain price as text check (value <> '$$'); create table prices (${COLUMNS}, price price)`,
    )
    await adopt('prices')
    expect(read(migrationsOf('prices')[0] ?? '')).toContain(
      "do $x$ begin create domain price as text CHECK ((VALUE <> '$$'",
    )
  })

  it('doubles the quotes in a name', () => {
    expect(quoted('a"b')).toBe('"a""b"')
  })

  it('writes no migration if an earlier one created a table that needs no change', async () => {
    await execute(db, `create table invoices (${COLUMNS}, number text not null unique)`)
    const existing = { ...(await quick.existing()), tables: new Set(['invoices']) }
    const own = { ...quick, existing: () => Promise.resolve(existing) }
    const { migrations, steps } = await adopt('invoices', { on: own, adapt: false })
    expect(migrations).toEqual([])
    expect(steps.filter(({ path }) => path.startsWith('app/db/'))).toEqual([])
    await scaffold(quick, argumentsOf('invoice note:string?'))
    expect(await catalog('invoices')).toContain('column invoices.note text default  ')
    expect(await destroy(quick, 'invoice')).toMatchObject({ table: 'kept' })
    expect(await catalog('invoices')).not.toEqual([])
  })
})
