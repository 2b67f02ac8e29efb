import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Eta } from 'eta'
import { type Kysely, sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { catalogOf } from '../test-support/catalog.ts'
import { testDatabase } from 'pergola/testing'
import { compareColumns } from '../commands/db/types/compare-columns.ts'
import { storedColumns } from '../commands/db/types/stored-columns.ts'
import { duration } from '../test-support/duration.ts'
import { filesOf } from './code/files.ts'
import { filterFields } from './code/model-fields.ts'
import { EMPTY_PROJECT } from '../test-support/empty-project.ts'
import { FIELD_TYPES } from './field-types/field-types.ts'
import type { Model } from './model.ts'
import { matrixModels } from '../test-support/matrix-models.ts'
import { askedBy } from './read/options.ts'
import { readModel } from './read/read-model.ts'

const root = join(import.meta.dirname, '../..')
const project = await mkdtemp(join(tmpdir(), 'pergola-generated-'))
afterAll(() => rm(project, { recursive: true, force: true }))

const COPIED = ['app', 'views', 'e2e', 'package.json', 'tsconfig.json', '.oxlintrc.json', '.editorconfig']
// Omits the tests of the application, which other commands check.
const filter = (path: string) => !/\.(?:test|spec)\.ts$/.test(path)
for (const path of COPIED) await cp(join(root, path), join(project, path), { recursive: true, filter })
await symlink(join(root, 'node_modules'), join(project, 'node_modules'))

const migrationOf = ({ names }: Model, index: number) => `${20270101000000 + index}_create_${names.table}`
const withOwnType = readModel(
  askedBy(['workout', 'title:string', 'pace:duration^', 'rest:duration?=PT5M']),
  EMPTY_PROJECT,
  [...FIELD_TYPES, duration],
)
const models = [...(await matrixModels(root)), withOwnType.model].map((model, index) => ({
  name: model.names.human,
  model,
  migration: migrationOf(model, index),
}))
const generated = (
  await Promise.all(models.map(({ model, migration }) => filesOf(model, { migration })))
).flat()
for (const { path, text } of generated) {
  await mkdir(dirname(join(project, path)), { recursive: true })
  await writeFile(join(project, path), text)
}
const code = generated.map(({ path }) => path).filter((path) => path.endsWith('.ts'))

/** Returns the output of a tool that checks the copy; empty if it succeeds. */
async function complaints(tool: string, ...args: string[]): Promise<string> {
  const program = join(root, 'node_modules/.bin', tool)
  const run = promisify(execFile)(program, args, { cwd: project, maxBuffer: 2 ** 26 })
  return run.then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
}

describe('generated code', () => {
  it('compiles', async () => {
    expect(await complaints('tsc', '-p', '.')).toBe('')
    expect(await complaints('tsc', '-p', 'e2e')).toBe('')
  })

  it('has views that compile', () => {
    const views = generated.filter(({ path }) => path.endsWith('.eta'))
    expect(views.length).toBeGreaterThan(models.length)
    for (const { text } of views) expect(() => new Eta().compile(text)).not.toThrow()
  })

  it('passes the linter', async () => {
    expect(await complaints('oxlint', '--type-aware', '--deny-warnings', '-f', 'unix', ...code)).toBe('')
  })

  it('is formatted', async () => {
    expect(await complaints('prettier', '--check', ...code)).toBe('')
  })
})

describe('generated lists', () => {
  const controllers = globSync('app/**/*.controller.ts', { cwd: project })
    .filter((path) => !/^app.framework/.test(path))
    .map((path) => readFileSync(join(project, path), 'utf8'))

  it('have the page sizes of their repositories', () => {
    const calls = controllers.flatMap((text) => text.match(/\b(?:page|cursorPage)For\(req\)/g) ?? [])
    expect(calls.length).toBeGreaterThan(models.filter(({ model }) => !model.parent).length)
    const others = controllers.flatMap((text) => text.match(/\b(?:page|cursor)Request\(req\b.*?\)/g) ?? [])
    expect(others.filter((call) => !call.includes('(req, '))).toEqual([])
  })

  it('filter by ranges of dates and numbers, and by several values of enums', () => {
    const text = generated.find(({ path }) => path.endsWith('/specimen.ts'))?.text ?? ''
    expect(text).toContain('seen_at: filter.range(field.datetime()),')
    expect(text).toContain("state: filter.several(field.enum(STATES), { label: 'State' }),")
    expect(text).toContain("amount: filter.range(field.integer(), { label: 'Amount' }),")
    expect(text).toContain("rare: filter.one(z.stringbool(), { label: 'Rare' }),")
  })

  it('leave out a range whose bound has the name of another column', () => {
    const { model } = readModel(
      askedBy(['trip', 'day:date', 'day_to:enum{a,b}', 'size:integer']),
      EMPTY_PROJECT,
    )
    expect(filterFields(model).map(({ column }) => column)).toEqual(['day_to', 'size'])
  })
})

describe('a generated migration', async () => {
  const { db, url } = await testDatabase()

  it.each(models)('is reversible: $name', async ({ migration }) => {
    const file = pathToFileURL(join(project, 'app/db/migrations', `${migration}.ts`)).href
    const { up, down } = (await import(file)) as Record<'up' | 'down', (db: Kysely<never>) => Promise<void>>
    const before = await catalogOf(url)
    await up(db as never)
    const after = await catalogOf(url)
    expect(after.length).toBeGreaterThan(before.length)
    await down(db as never)
    expect(await catalogOf(url)).toEqual(before)
    await up(db as never)
    expect(await catalogOf(url)).toEqual(after)
  })

  it('enforces unique values, except for rows in the trash', async () => {
    const { rows } = await sql<{ id: number }>`insert into users (name, email, password_digest)
      values ('Ada', 'ada@example.test', '-') returning id`.execute(db)
    const owner_id = rows[0]?.id
    const insert = () =>
      sql`insert into contracts (number, title, owner_id) values ('7', 'A', ${owner_id})`.execute(db)
    await insert()
    await expect(insert()).rejects.toThrow('contracts_number_unique')
    await sql`update contracts set deleted_at = now()`.execute(db)
    await expect(insert()).resolves.toBeDefined()
  })

  it('indexes the columns of searches, orders and filters, without the rows in the trash', async () => {
    expect(await indexesOf('contracts')).toEqual([
      'contracts_created_at_sort USING btree (created_at, id) WHERE (deleted_at IS NULL)',
      'contracts_number_search USING gin (number gin_trgm_ops) WHERE (deleted_at IS NULL)',
      'contracts_number_unique USING btree (number) WHERE (deleted_at IS NULL)',
      'contracts_owner_id USING btree (owner_id)',
      'contracts_pkey USING btree (id)',
      'contracts_title_search USING gin (title gin_trgm_ops) WHERE (deleted_at IS NULL)',
      'contracts_title_sort USING btree (title, id) WHERE (deleted_at IS NULL)',
    ])
    expect(await indexesOf('shops')).toContain('shops_open_filter USING btree (open, id)')
    // A unique column that is nullable has several rows with NULL, which its own index doesn't order by id.
    expect(await indexesOf('equipment')).toContain('equipment_serial_sort USING btree (serial, id)')
  })

  const indexesOf = async (table: string) => {
    const { rows } = await sql<{ text: string }>`
      select indexname || ' USING' || split_part(indexdef, 'USING', 2) as text from pg_indexes
      where tablename = ${table} order by indexname`.execute(db)
    return rows.map(({ text }) => text)
  }

  // Runs the TypeScript compiler on all resources of the matrix, twice.
  it('creates the columns that the types declare', async () => {
    const stored = await storedColumns(db)
    expect(compareColumns(project, stored)).toEqual([])
    // Every declared table differs from an empty list of columns.
    const tables = new Set(compareColumns(project, []).map(({ table }) => table))
    expect(models.filter(({ model }) => !tables.has(model.names.table))).toEqual([])
  })
})
