import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { testProject } from '../test-support/test-project.ts'
import type { AddOn } from './add-on.ts'
import { changeToAdd, changeToRemove } from './add-on-steps.ts'
import { withTables } from './add-on-tables.ts'
import { writeSteps } from './write-add-on.ts'

const copy = await testProject()
const reviewed = readFileSync(join(copy.root, 'security.manifest.json'), 'utf8')
const project = { ...copy, manifest: () => Promise.resolve(reviewed) }
const { root } = project
const before = await project.catalog()

const migration = (steps: { up: string; down: string }) => `import type { Kysely } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  ${steps.up}
}

export async function down(db: Kysely<never>): Promise<void> {
  ${steps.down}
}
`

let count = 0

/** Returns an add-on with a table. Its migration has a name of its own, because Node imports each name only once. */
function bells(
  up = "await db.schema.createTable('bells').addColumn('id', 'integer').execute()",
  down = "await db.schema.dropTable('bells').execute()",
) {
  const path = `app/db/migrations/2026020100000${count++}_create_bells.ts`
  const addOn: AddOn = {
    name: 'bells',
    description: 'rings',
    cost: 'nothing',
    needs: [],
    views: [],
    remedy: 'Change them first.',
    packages: {},
    edits: new Map(),
    files: new Map([
      ['app/bells/bell.ts', 'export {}\n'],
      [path, migration({ up, down })],
    ]),
  }
  const migrate = () => project.inDatabase((database) => database.migrate())
  return {
    path,
    migrate,
    add: async () => {
      await writeSteps(project, changeToAdd(root, addOn).steps)
      await migrate()
    },
    remove: ({ force = false } = {}) =>
      project.inDatabase(async (database) => {
        const change = changeToRemove(root, addOn, { others: [], force })
        const planned = await withTables(root, change, { database, force })
        const steps = await writeSteps(project, planned.change.steps, planned.tables)
        return Object.fromEntries(steps.map(({ path, verb }) => [path.replace(/\d{14}/, '*'), verb]))
      }),
  }
}

const hasTable = async () => (await project.catalog()).join().includes('relation bells')
const migrations = () => globSync('app/db/migrations/*{bells,other}.ts', { cwd: root })

afterEach(async () => {
  await project.sql('drop table if exists bells')
  await project.sql("delete from kysely_migration where name ~ '(bells|other)$'")
  for (const path of [...migrations(), 'app/bells'])
    rmSync(join(root, path), { recursive: true, force: true })
})

it('rolls back the newest migrations, and removes their files', async () => {
  const { path, add, remove } = bells()
  await add()
  expect(await hasTable()).toBe(true)
  expect(await remove()).toMatchObject({ [path.replace(/\d{14}/, '*')]: 'remove' })
  expect(await project.catalog()).toEqual(before)
  expect(migrations()).toEqual([])
})

it('removes only the files of migrations that have not run', async () => {
  const { path, remove, ...addOn } = bells()
  await addOn.add()
  await project.sql('drop table bells')
  await project.sql("delete from kysely_migration where name ~ 'bells$'")
  await remove()
  expect(existsSync(join(root, path))).toBe(false)
})

it('drops the table by a new migration if others ran after its own', async () => {
  const { path, add, migrate, remove } = bells()
  await add()
  const other = join(root, `app/db/migrations/2026020200000${count++}_other.ts`)
  writeFileSync(other, migration({ up: 'void db', down: 'void db' }))
  await migrate()
  expect(await remove()).toMatchObject({ 'app/db/migrations/*_drop_bells.ts': 'create' })
  expect(await hasTable()).toBe(false)
  expect(existsSync(join(root, path))).toBe(true)
  await project.inDatabase((database) => database.rollback(1))
  expect(await hasTable()).toBe(true)
})

it('asks before it deletes rows, and needs --force without a terminal', async () => {
  const { path, add, remove } = bells()
  await add()
  await project.sql('insert into bells (id) values (1)')
  await expect(remove()).rejects.toThrow('bells has a row. --force deletes it')
  expect([await hasTable(), existsSync(join(root, path))]).toEqual([true, true])
  await remove({ force: true })
  expect(await hasTable()).toBe(false)
})

it('keeps the table while an edited file is kept', async () => {
  const { path, add, remove } = bells()
  await add()
  writeFileSync(join(root, 'app/bells/bell.ts'), 'mine\n')
  expect(await remove()).toMatchObject({ 'app/bells/bell.ts': 'keep' })
  expect([await hasTable(), existsSync(join(root, path))]).toEqual([true, true])
})

it('refuses to remove migrations that have run and create no table', async () => {
  const { path, add, remove } = bells('void db', 'void db')
  await add()
  await expect(remove()).rejects.toThrow('Roll them back first')
  expect(existsSync(join(root, path))).toBe(true)
  await project.inDatabase((database) => database.rollback(1))
  await remove()
  expect(existsSync(join(root, path))).toBe(false)
})
