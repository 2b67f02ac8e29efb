import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { manifestText, parseManifest } from 'pergola/manifest'
import { destroy } from './destroy-resource.ts'
import type { ScaffoldArguments } from './read/options.ts'
import { type Disk, diskOf } from '../project/disk.ts'
import type { Project } from './project/project.ts'
import { testProject } from '../test-support/test-project.ts'
import { scaffold } from './scaffold-resource.ts'

const project = await testProject()
const at = (path: string) => join(project.root, path)
const before = project.files()
const catalog = await project.catalog()
/** A project without child processes. Its manifest only records that the gadgets exist. */
const quick: Project = {
  ...project,
  manifest() {
    const manifest = parseManifest(before[at('security.manifest.json')] ?? '')
    const { development_only } = manifest.excluded
    if (existsSync(at('app/gadgets'))) development_only.push({ route: 'GET /gadgets', reason: 'a test' })
    return Promise.resolve(manifestText(manifest))
  },
}

const argumentsOf = (
  name: string,
  fields: string[] = [],
  options: ScaffoldArguments['options'] = {},
): ScaffoldArguments => ({
  name,
  fields,
  options,
})
const gadget = argumentsOf('gadget', ['title:string{1..200}', 'owner:references:user'])
const read = (path: string) => readFileSync(at(path), 'utf8')
const verbsOf = (steps: readonly { path: string; verb: string }[]) =>
  Object.fromEntries(steps.map(({ path, verb }) => [path.replace(/\d{14}/, '*'), verb]))
const migrationOf = (steps: readonly { path: string }[], what: string) =>
  steps.map(({ path }) => path).find((path) => path.endsWith(`_${what}.ts`)) ?? ''

const migrationsOf = (table: string) => globSync(`*_${table}.ts`, { cwd: at('app/db/migrations') }).toSorted()

async function withRows(): Promise<void> {
  await project.sql(`insert into users (name, email, password_digest) values ('Ada', 'ada@example.test', '')`)
  for (const title of ['Old', 'Older'])
    await project.sql(`insert into gadgets (title, owner_id) select '${title}', id from users limit 1`)
}

/** Restores files like git, which does not remove new files. */
function bringBack(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

// Each test has its own hour and so its own migration names, because Node imports each name only once.
let hour = Date.now()
const nextHour = () => void vi.setSystemTime((hour += 3_600_000))
beforeEach(nextHour)

/** Removes the tables and restores the files after each test. */
afterEach(async () => {
  await project.sql('drop table if exists gadgets, widgets')
  await project.sql('delete from users')
  await project.sql(`delete from kysely_migration where name ~ '(gadgets|widgets)$'`)
  for (const path of ['app/gadgets', 'views/gadgets', 'app/widgets', 'views/widgets'])
    rmSync(at(path), { recursive: true, force: true })
  const now = project.files()
  for (const path of Object.keys(now)) if (!(path in before)) rmSync(path)
  for (const [path, text] of Object.entries(before)) if (now[path] !== text) writeFileSync(path, text)
})

/** Returns a disk that is full at the nth write. */
function fullAt(nth: number): Disk {
  const disk = diskOf(project.root)
  let count = 0
  const counted = (work: () => void) => {
    if (++count === nth) throw new Error('The disk is full')
    work()
  }
  return {
    write: (path, text) => counted(() => disk.write(path, text)),
    remove: (path) => counted(() => disk.remove(path)),
  }
}

describe('the version', () => {
  const words = () => (JSON.parse(read('app/gadgets/scaffold.json')) as { command: string[] }).command
  const wordsFor = async (options: ScaffoldArguments['options']) => {
    await scaffold(quick, { ...gadget, options }, { migrate: false })
    return words()
  }

  it('is part of a new resource, and remains when it grows', async () => {
    expect(await wordsFor({})).toEqual(['gadget', ...gadget.fields, '--version'])
    expect(read('app/gadgets/gadget.ts')).toContain('version: true')
    await scaffold(quick, argumentsOf('gadget', ['color?']), { migrate: false })
    expect(words()).toEqual(['gadget', ...gadget.fields, 'color?', '--version'])
  })

  it('is left out with --no-version, and when an older resource without it grows', async () => {
    expect(await wordsFor({ version: false })).toEqual(['gadget', ...gadget.fields])
    expect(read('app/gadgets/gadget.ts')).not.toContain('version')
    await scaffold(quick, argumentsOf('gadget', ['color?']), { migrate: false })
    expect(read('app/gadgets/gadget.ts')).not.toContain('version')
  })
})

describe('scaffold', () => {
  it('writes at most sixteen files, an entry and the manifest, and runs the migration', async () => {
    const { steps, migrated, migrations } = await scaffold(project, gadget)
    expect(verbsOf(steps)).toMatchObject({
      'app/gadgets/gadget.ts': 'create',
      'app/gadgets/scaffold.json': 'create',
      'app/db/migrations/*_create_gadgets.ts': 'create',
      'views/gadgets/index.eta': 'create',
      'e2e/gadgets.spec.ts': 'create',
      'app/resources.ts': 'change',
      'security.manifest.json': 'change',
    })
    expect(steps.filter(({ verb }) => verb === 'create').length).toBeLessThanOrEqual(16)
    expect([migrated, migrations.length]).toEqual([true, 1])
    expect(await project.catalog()).toContain('relation gadgets')
    expect(read('app/resources.ts')).toContain(
      "  { repository: gadgets, routes: { gadgetRoutes }, nav: 'Gadgets', seed: seedGadgets },\n",
    )
    expect(read('security.manifest.json')).toContain('"GET /gadgets/new"')
  })

  it('writes nothing the second time', async () => {
    const first = await scaffold(quick, gadget)
    const times = project.times()
    const { steps } = await scaffold(quick, gadget)
    expect(new Set(steps.map(({ verb }) => verb))).toEqual(new Set(['same']))
    expect(project.times()).toEqual(times)
    expect(migrationOf(steps, 'create_gadgets')).toBe(migrationOf(first.steps, 'create_gadgets'))
    expect((await scaffold(quick, argumentsOf('Gadgets'))).steps.every(({ verb }) => verb === 'same')).toBe(
      true,
    )
  })

  it('runs a migration that an earlier command wrote but did not run', async () => {
    const { steps } = await scaffold(quick, gadget, { migrate: false })
    expect(await scaffold(quick, gadget, { dryRun: true })).toMatchObject({ migrated: false })
    expect(await project.catalog()).toEqual(catalog)
    const { migrated, migrations } = await scaffold(quick, gadget)
    expect([migrated, migrations.map((name) => `app/db/migrations/${name}.ts`)]).toEqual([
      true,
      [migrationOf(steps, 'create_gadgets')],
    ])
    expect(await project.catalog()).toContain('relation gadgets')
  })

  it('returns the same steps in a dry run, and writes nothing', async () => {
    const times = project.times()
    const dry = await scaffold(quick, gadget, { dryRun: true })
    expect(project.times()).toEqual(times)
    expect(await project.catalog()).toEqual(catalog)
    const { steps } = await scaffold(quick, gadget)
    expect(verbsOf(dry.steps)).toEqual(verbsOf(steps))
  })

  it('refuses to overwrite an existing file without --force', async () => {
    mkdirSync(at('e2e'), { recursive: true })
    writeFileSync(at('e2e/gadgets.spec.ts'), '// Mine.\n')
    const there = project.files()
    await expect(scaffold(quick, gadget)).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining('e2e/gadgets.spec.ts') as string,
    })
    expect(project.files()).toEqual(there)
    await scaffold(quick, gadget, { force: true })
    expect(read('e2e/gadgets.spec.ts')).not.toContain('Mine')
  })

  it('doesn’t overwrite edited files', async () => {
    await scaffold(quick, gadget)
    writeFileSync(at('views/gadgets/new.eta'), 'Mine.')
    const { steps } = await scaffold(quick, gadget)
    expect(verbsOf(steps)).toMatchObject({ 'views/gadgets/new.eta': 'leave' })
    expect(read('views/gadgets/new.eta')).toBe('Mine.')
  })

  it('doesn’t treat other line ends as an edit', async () => {
    await scaffold(quick, gadget)
    const path = at('app/gadgets/gadget.ts')
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'))
    expect((await scaffold(quick, gadget)).steps.every(({ verb }) => verb === 'same')).toBe(true)
  })

  it('does not change a resource list with another structure, and throws with the lines to add', async () => {
    const list = read('app/resources.ts').replace(/\[\n[\s\S]*\]/, '[...everything]')
    writeFileSync(at('app/resources.ts'), list)
    const there = project.files()
    await expect(scaffold(quick, gadget)).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining(
        "  { repository: gadgets, routes: { gadgetRoutes }, nav: 'Gadgets'",
      ) as string,
    })
    expect(project.files()).toEqual(there)
  })

  it('doesn’t follow a link out of the project', async () => {
    const outside = join(project.root, '.data/outside')
    mkdirSync(outside, { recursive: true })
    symlinkSync(outside, at('views/gadgets'))
    await expect(scaffold(quick, gadget)).rejects.toMatchObject({ code: 3 })
    rmSync(at('views/gadgets'))
    expect(project.files()).toEqual(before)
  })

  it('rolls everything back if any write fails', async () => {
    const writes = (await scaffold(quick, gadget)).steps.length
    await destroy(quick, 'gadget', { force: true })
    writeFileSync(at('security.manifest.json'), before[at('security.manifest.json')] ?? '')
    for (let nth = 1; nth <= writes; nth++) {
      await expect(scaffold({ ...quick, disk: fullAt(nth) }, gadget)).rejects.toThrow(
        'All changes were rolled back',
      )
      expect(project.files()).toEqual(before)
    }
    expect(existsSync(at('app/gadgets'))).toBe(false)
    expect(await project.catalog()).toEqual(catalog)
  })

  it.each<[string, Partial<Project>]>([
    ['the manifest', { manifest: () => Promise.reject(new Error('It does not compile')) }],
    ['the database', { inDatabase: () => Promise.reject(new Error('Nobody answers')) }],
    ['the seed', { seeds: true, seed: () => Promise.reject(new Error('A check refuses it')) }],
  ])('rolls everything back if %s fails', async (_, part) => {
    await expect(scaffold({ ...quick, ...part }, gadget)).rejects.toThrow('All changes were rolled back')
    expect(project.files()).toEqual(before)
    expect(await project.catalog()).toEqual(catalog)
  })

  it('does not run the migration with `migrate: false`', async () => {
    expect(await scaffold(quick, gadget, { migrate: false })).toMatchObject({ migrated: false })
    expect(await project.catalog()).toEqual(catalog)
  })
})

describe('scaffold of an existing resource', () => {
  const more = argumentsOf('gadget', ['rating:integer{1..5}', 'note:text?', 'state:enum{new,old}=new'])

  it('adds columns to a table with rows, and changes unedited files', async () => {
    await scaffold(quick, gadget)
    await withRows()
    const { steps } = await scaffold(quick, more)
    expect(verbsOf(steps)).toMatchObject({
      'app/gadgets/gadget.ts': 'change',
      'app/db/migrations/*_create_gadgets.ts': 'same',
      'app/db/migrations/*_add_3_columns_to_gadgets.ts': 'create',
    })
    const lines = (await project.catalog()).filter((line) => line.startsWith('column gadgets.'))
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^column gadgets\.rating integer not null default +$/),
        expect.stringMatching(/^column gadgets\.note text default +$/),
        expect.stringMatching(/^column gadgets\.state text not null default 'new'::text +$/),
      ]),
    )
    expect((await scaffold(quick, more)).steps.every(({ verb }) => verb === 'same')).toBe(true)
    await destroy(quick, 'gadget', { force: true })
    expect(await project.catalog()).toEqual(catalog)
  })

  it('rejects impossible changes and invalid fields', async () => {
    await scaffold(quick, gadget)
    const there = project.files()
    const refused: [ScaffoldArguments, string][] = [
      [argumentsOf('gadget', ['title:text']), 'already has a different title'],
      [argumentsOf('gadget', ['code:string^']), 'Make it nullable'],
      [argumentsOf('gadget', ['code_long?', 'code:string^']), '  code:string^\n'],
      [argumentsOf('gadget', ['user:references']), 'Make it nullable'],
      [argumentsOf('gadget', [], { id: 'uuid' }), 'was created with another value'],
      [argumentsOf('gadget', [], { softDelete: true }), 'was created with another value'],
      [argumentsOf('gadget', [], { version: false }), 'was created with another value'],
      [argumentsOf('gadget', ['colour:colour']), 'Unknown type colour'],
    ]
    for (const [command, sentence] of refused)
      await expect(scaffold(quick, command)).rejects.toMatchObject({
        code: 2,
        message: expect.stringContaining(sentence) as string,
      })
    expect(project.files()).toEqual(there)
  })
})

describe('destroy', () => {
  it('removes all files and the table', async () => {
    await scaffold(project, gadget)
    const { table } = await destroy(project, 'Gadget')
    expect(table).toBe('rolled back')
    expect(project.files()).toEqual(before)
    expect(existsSync(at('app/gadgets'))).toBe(false)
    expect(await project.catalog()).toEqual(catalog)
  })

  it('keeps edited files without --force', async () => {
    await scaffold(quick, gadget)
    writeFileSync(at('views/gadgets/new.eta'), 'Mine.')
    const { steps } = await destroy(quick, 'gadget')
    expect(steps.filter(({ verb }) => verb === 'keep').map(({ path }) => path)).toEqual([
      'views/gadgets/new.eta',
    ])
    expect(read('views/gadgets/new.eta')).toBe('Mine.')
    expect(existsSync(at('app/gadgets/gadget.ts'))).toBe(false)
    expect(await destroy(quick, 'gadget')).toMatchObject({ table: 'gone' })
    expect(read('views/gadgets/new.eta')).toBe('Mine.')
    await destroy(quick, 'gadget', { force: true })
    expect(existsSync(at('views/gadgets'))).toBe(false)
    expect(existsSync(at('app/gadgets'))).toBe(false)
  })

  it('changes nothing without --force if the table has rows', async () => {
    await scaffold(quick, gadget)
    await withRows()
    const [there, made] = [project.files(), await project.catalog()]
    for (const flags of [{}, { dryRun: true }])
      await expect(destroy(quick, 'gadget', flags)).rejects.toMatchObject({
        code: 3,
        message: expect.stringMatching(/^gadgets has 2 rows.*--force/s) as string,
      })
    expect(project.files()).toEqual(there)
    expect(await project.catalog()).toEqual(made)
    expect(await destroy(quick, 'gadget', { force: true })).toMatchObject({ table: 'rolled back' })
    expect(existsSync(at('app/gadgets'))).toBe(false)
    await project.sql('delete from users')
    expect(await project.catalog()).toEqual(catalog)
  })

  it('rolls back all migrations of an extended resource if they are the newest', async () => {
    await scaffold(quick, argumentsOf('widget', ['title']))
    const there = await project.catalog()
    await scaffold(quick, gadget)
    await withRows()
    await scaffold(quick, argumentsOf('gadget', ['note:text?']))
    await scaffold(quick, argumentsOf('gadget', ['size:integer']))
    expect(await destroy(quick, 'gadget', { force: true })).toMatchObject({ table: 'rolled back' })
    expect(await project.catalog()).toEqual(there)
    expect(migrationsOf('gadgets')).toEqual([])
  })

  it.each(['bigint', 'uuid'])(
    'drops a table with a reversible migration if another migration ran since (%s)',
    async (id) => {
      await scaffold(quick, { ...gadget, options: { id } })
      await withRows()
      await scaffold(quick, argumentsOf('widget', ['title']))
      await scaffold(quick, argumentsOf('gadget', ['note:text?', 'size:integer']))
      const made = await project.catalog()
      await expect(destroy(quick, 'gadget')).rejects.toMatchObject({ code: 3 })
      const { table, steps } = await destroy(quick, 'gadget', { force: true })
      expect(table).toBe('dropped')
      expect(await project.catalog()).not.toContain('relation gadgets')
      expect(read(migrationOf(steps, 'drop_gadgets'))).not.toMatch(/from '\./)
      await project.inDatabase((database) => database.rollback(1))
      expect(await project.catalog()).toEqual(made)
      await project.inDatabase((database) => database.rollback(3))
      await project.sql('delete from users')
      expect(await project.catalog()).toEqual(catalog)
    },
  )

  it('drops a table without `down` if its migration imports another file', async () => {
    const { steps } = await scaffold(quick, gadget)
    const migration = migrationOf(steps, 'create_gadgets')
    writeFileSync(at(migration), `import '../open.ts'\n${read(migration)}`)
    await scaffold(quick, argumentsOf('widget', ['title']))
    const dropped = await destroy(quick, 'gadget')
    expect(read(migrationOf(dropped.steps, 'drop_gadgets'))).not.toContain('function down')
    await expect(project.inDatabase((database) => database.rollback(1))).rejects.toThrow('has no down')
  })

  it('keeps the migrations that an earlier destroy kept', async () => {
    await scaffold(quick, gadget)
    await scaffold(quick, argumentsOf('widget', ['title']))
    writeFileSync(at('views/gadgets/new.eta'), 'Mine.')
    expect(await destroy(quick, 'gadget')).toMatchObject({ table: 'dropped' })
    const there = migrationsOf('gadgets')
    expect(there.length).toBe(2)
    expect(await destroy(quick, 'gadget', { force: true })).toMatchObject({ table: 'gone' })
    expect(migrationsOf('gadgets')).toEqual(there)
    expect(existsSync(at('app/gadgets'))).toBe(false)
    await project.inDatabase((database) => database.migrate())
    await project.inDatabase((database) => database.rollback(3))
    expect(await project.catalog()).toEqual(catalog)
  })

  it('keeps the executed migrations of a missing table', async () => {
    await scaffold(quick, gadget)
    await scaffold(quick, argumentsOf('gadget', ['note:text?']), { migrate: false })
    await project.sql('drop table gadgets')
    expect(await destroy(quick, 'gadget', { force: true })).toMatchObject({ table: 'gone' })
    expect(migrationsOf('gadgets')).toEqual([expect.stringMatching(/create_gadgets\.ts$/)])
    expect(await project.inDatabase((database) => database.migrate())).toEqual([])
  })

  it('drops a table with the migration of an earlier destroy if the files were restored', async () => {
    await scaffold(quick, gadget)
    await scaffold(quick, argumentsOf('widget', ['title']))
    const there = project.files()
    await destroy(quick, 'gadget')
    bringBack(there)
    await project.inDatabase((database) => database.rollback(1))
    await withRows()
    await expect(destroy(quick, 'gadget')).rejects.toMatchObject({ code: 3 })
    expect(await destroy(quick, 'gadget', { force: true })).toMatchObject({ table: 'dropped' })
    expect(migrationsOf('gadgets').length).toBe(2)
    expect(await project.catalog()).not.toContain('relation gadgets')
    await project.inDatabase((database) => database.rollback(3))
    // The migrations that create and drop the table are both kept, even if neither has run.
    bringBack(there)
    await destroy(quick, 'gadget')
    expect(migrationsOf('gadgets').length).toBe(2)
    await project.inDatabase((database) => database.rollback(3))
    expect(await project.catalog()).toEqual(catalog)
  })

  it('writes the migration that drops the table only after all other steps', async () => {
    await scaffold(quick, gadget)
    await scaffold(quick, argumentsOf('widget', ['title']))
    const there = project.files()
    const failing: Project = {
      ...quick,
      async manifest() {
        // A running `npm run dev` would also do this.
        await project.inDatabase((database) => database.migrate())
        throw new Error('It does not compile')
      },
    }
    await expect(destroy(failing, 'gadget')).rejects.toThrow('All changes were rolled back')
    expect(project.files()).toEqual(there)
    expect(await project.catalog()).toContain('relation gadgets')
  })

  it('allows to scaffold the name again with more fields', async () => {
    await scaffold(quick, gadget)
    writeFileSync(at('views/gadgets/new.eta'), 'Mine.')
    await destroy(quick, 'gadget')
    nextHour()
    await scaffold(quick, argumentsOf('gadget', ['size:integer']), { force: true })
    expect(migrationsOf('gadgets')).toEqual([expect.stringMatching(/create_gadgets\.ts$/)])
    expect((await project.catalog()).join()).toContain('column gadgets.size')
    expect(await destroy(quick, 'gadget')).toMatchObject({ table: 'rolled back' })
    expect(await project.catalog()).toEqual(catalog)
  })

  it('reports that a migration was never run', async () => {
    await scaffold(quick, gadget, { migrate: false })
    expect(await destroy(quick, 'gadget')).toMatchObject({ table: 'never run' })
    expect(existsSync(at('app/gadgets'))).toBe(false)
  })

  it('is refused while other code depends on the resource', async () => {
    await scaffold(quick, gadget)
    writeFileSync(at('app/home/gadgets.ts'), "import { gadgets } from '#app/gadgets/gadget.repository.ts'\n")
    const there = project.files()
    const existing = await project.existing()
    const referred: Project = {
      ...quick,
      existing: () => Promise.resolve({ ...existing, references: [{ from: 'Review', table: 'gadgets' }] }),
    }
    await expect(destroy(referred, 'gadget', { force: true })).rejects.toMatchObject({
      code: 3,
      message: expect.stringMatching(/the resource Review\n {2}app\/home\/gadgets\.ts/) as string,
    })
    expect(project.files()).toEqual(there)
    rmSync(at('app/home/gadgets.ts'))
  })

  it('lists the resources if the name is unknown', async () => {
    await scaffold(quick, gadget)
    await expect(destroy(quick, 'gagdet')).rejects.toMatchObject({
      code: 2,
      message: expect.stringContaining('Did you mean gadget?') as string,
    })
  })

  it('keeps all rows if it fails', async () => {
    await scaffold(quick, gadget)
    await withRows()
    const there = project.files()
    const failing: Project = { ...quick, manifest: () => Promise.reject(new Error('No manifest')) }
    await expect(destroy(failing, 'gadget', { force: true })).rejects.toThrow('All changes were rolled back')
    expect(project.files()).toEqual(there)
    expect(await project.inDatabase((database) => database.rowsIn('gadgets'))).toBe(2)
  })

  it('rolls everything back if any write fails', async () => {
    await scaffold(quick, gadget)
    const there = project.files()
    const made = await project.catalog()
    const { steps } = await destroy(quick, 'gadget', { dryRun: true })
    for (let nth = 1; nth < steps.length; nth++) {
      await expect(destroy({ ...quick, disk: fullAt(nth) }, 'gadget')).rejects.toThrow(
        'All changes were rolled back',
      )
      expect(project.files()).toEqual(there)
      expect(await project.catalog()).toEqual(made)
    }
  })
})
