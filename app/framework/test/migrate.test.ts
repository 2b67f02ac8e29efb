import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectForTests } from 'pergola/lab'
import { lockWait, testDatabase } from 'pergola/testing'
import { lockMigrations, migrate, migrationStates, pendingMigrations, rollback } from 'pergola/database'

const { db, url } = await testDatabase()

/** The folder of a test's own migrations. They run in a database without executed migrations. */
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  await sql`delete from kysely_migration`.execute(db)
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  for (const table of ['apples', 'pears', 'plums'])
    await sql`drop table if exists ${sql.id(table)}`.execute(db)
})

const UP = (table: string) =>
  `export const up = (db) => db.schema.createTable('${table}').addColumn('id', 'bigint').execute()\n`
const DOWN = (table: string) => `export const down = (db) => db.schema.dropTable('${table}').execute()\n`
const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.mjs`), text)
const isThere = async (table: string) =>
  (await sql`select where to_regclass(${table}) is not null`.execute(db)).rows.length === 1

describe('migrate', () => {
  it('runs all or nothing', async () => {
    write('1_apples', UP('apples') + DOWN('apples'))
    write('2_broken', `export const up = (db) => db.schema.dropTable('nothing_of_this_name').execute()`)
    await expect(migrate(db, [folder])).rejects.toThrow('Migration 2_broken failed')
    expect(await isThere('apples')).toBe(false)
    expect((await migrationStates(db, [folder])).map(({ executed_at }) => executed_at)).toEqual([null, null])
  })

  it.each([
    [
      'pg_prewarm',
      'permission denied to create extension "pg_prewarm". Run this statement in the database as its owner or as a ' +
        'superuser, then migrate again: create extension "pg_prewarm"',
    ],
    ['no_such_module', 'Install no_such_module on the database server'],
    ['no-such-module', 'Install no-such-module on the database server'],
  ])('names the remedy if the role can’t create the extension %s', async (name, remedy) => {
    const sqlOf = (text: string) => `await sql\`${text}\`.execute(db)`
    write(
      `1_${name}`,
      `import { sql } from '${import.meta.resolve('kysely')}'
      export const up = async (db) => { ${sqlOf('set local role pg_monitor')}; ${sqlOf(`create extension "${name}"`)} }`,
    )
    await expect(migrate(db, [folder])).rejects.toMatchObject({
      message: `Migration 1_${name} failed`,
      cause: { message: expect.stringContaining(remedy) as string },
    })
  })

  it('runs a migration that is older than the executed migrations', async () => {
    write('2_pears', UP('pears') + DOWN('pears'))
    await migrate(db, [folder])
    write('1_apples', UP('apples') + DOWN('apples'))
    expect(await migrate(db, [folder])).toEqual(['1_apples'])
    expect(await rollback(db, 1, [folder])).toEqual(['1_apples'])
  })

  it('imports files whose path is not a specifier of a module, like each path on Windows', async () => {
    const odd = mkdtempSync(join(folder, 'ä %41 #'))
    writeFileSync(join(odd, '1_apples.mjs'), UP('apples'))
    // Vitest imports files in its own way.
    const code = `
      import { connect, migrate } from 'pergola/database'
      const limits = { poolSize: 1, maxWaiting: 1, connectTimeout: 5_000, statementTimeout: 5_000, lockTimeout: 5_000 }
      const db = connect({ url: ${JSON.stringify(url)}, ...limits, onConnectionError: console.error })
      console.log(await migrate(db, [${JSON.stringify(odd)}]))
      await db.destroy()`
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      encoding: 'utf8',
    })
    expect(output).toBe("[ '1_apples' ]\n")
    expect(await isThere('apples')).toBe(true)
  })

  it('runs once if two calls are concurrent', async () => {
    write('1_apples', UP('apples'))
    const both = await Promise.all([migrate(db, [folder]), migrate(db, [folder])])
    expect(both.flat()).toEqual(['1_apples'])
  })

  it('throws for an executed migration without a file, and changes nothing', async () => {
    write('1_apples', UP('apples') + DOWN('apples'))
    await migrate(db, [folder])
    rmSync(join(folder, '1_apples.mjs'))
    write('2_pears', UP('pears'))
    await expect(migrate(db, [folder])).rejects.toThrow(
      '1_apples ran in this database, but its file is missing',
    )
    expect(await isThere('pears')).toBe(false)
    expect(await migrationStates(db, [folder])).toEqual([
      { name: '1_apples', executed_at: expect.any(String), exists: false, reversible: false },
      { name: '2_pears', executed_at: null, exists: true, reversible: false },
    ])
  })

  it('throws for a draft, and changes nothing', async () => {
    write('1_apples', UP('apples'))
    write('2_pears', `export const isDraft = true\n${UP('pears')}`)
    await expect(migrate(db, [folder])).rejects.toThrow('2_pears is a draft')
    expect(await isThere('apples')).toBe(false)
  })

  it('skips the drafts that onDraft receives', async () => {
    write('1_pears', `export const isDraft = true\n${UP('pears')}`)
    write('2_apples', UP('apples'))
    const drafts: string[] = []
    const onDraft = (name: string) => drafts.push(name)
    expect(await migrate(db, [folder], { onDraft })).toEqual(['2_apples'])
    expect(await migrate(db, [folder], { onDraft })).toEqual([])
    expect([drafts, await isThere('pears')]).toEqual([['1_pears', '1_pears'], false])
    expect(await pendingMigrations(db, [folder])).toEqual(['1_pears'])
    expect(await pendingMigrations(db, [folder], { skipDrafts: true })).toEqual([])
  })

  it('passes over a migration without a file that onLost receives', async () => {
    const lost: [string, number][] = []
    const onLost = (name: string, count: number) => lost.push([name, count])
    write('1_apples', UP('apples') + DOWN('apples'))
    write('2_pears', UP('pears') + DOWN('pears'))
    await migrate(db, [folder])
    rmSync(join(folder, '1_apples.mjs'))
    write('3_plums', UP('plums') + DOWN('plums'))
    expect(await migrate(db, [folder], { onLost })).toEqual(['3_plums'])
    expect(lost).toEqual([['1_apples', 2]])
    expect(await isThere('apples')).toBe(true)
  })

  it('throws for a file that is not a migration', async () => {
    write('1_notes', 'export const note = 1')
    await expect(migrate(db, [folder])).rejects.toThrow('1_notes.mjs is not a migration')
  })

  it('waits for a table lock for at most five seconds, and releases its own lock', async () => {
    // A file in the temporary folder can't import kysely by its name.
    const kysely = import.meta.resolve('kysely')
    write(
      '1_lock',
      `import { sql } from '${kysely}'
      export const up = (db) => sql\`create table apples as select current_setting('lock_timeout')\`.execute(db)`,
    )
    await migrate(db, [folder])
    expect((await sql`select * from apples`.execute(db)).rows).toEqual([{ current_setting: '5s' }])
    await db.transaction().execute(async (transaction) => {
      await sql`select from kysely_migration_lock for update nowait`.execute(transaction)
    })
  })
})

describe('rollback', () => {
  beforeEach(async () => {
    write('1_apples', UP('apples') + DOWN('apples'))
    write('2_pears', UP('pears') + DOWN('pears'))
    write('3_plums', UP('plums') + DOWN('plums'))
    await migrate(db, [folder])
  })

  it('reverts the last migrations, in reverse order', async () => {
    expect(await rollback(db, 2, [folder])).toEqual(['3_plums', '2_pears'])
    expect(await Promise.all(['apples', 'pears', 'plums'].map(isThere))).toEqual([true, false, false])
    expect(await rollback(db, 9, [folder])).toEqual(['1_apples'])
    expect(await rollback(db, 1, [folder])).toEqual([])
  })

  it('reverts nothing if one of the migrations has no down', async () => {
    write('4_forever', `export const up = async () => {}`)
    write('5_nothing', `export const up = async () => {}\nexport const down = async () => {}`)
    await migrate(db, [folder])
    expect(await rollback(db, 1, [folder])).toEqual(['5_nothing'])
    await expect(rollback(db, 2, [folder])).rejects.toThrow('4_forever has no down')
    expect(await isThere('plums')).toBe(true)
    expect((await migrationStates(db, [folder])).at(3)).toMatchObject({ reversible: false })
  })

  it('reverts a migration whose file is missing by its copy', async () => {
    const copies = join(folder, 'copies')
    await migrate(db, [folder], { copies })
    for (const name of ['2_pears', '3_plums']) rmSync(join(folder, `${name}.mjs`))
    await expect(rollback(db, 1, [folder])).rejects.toThrow(
      '3_plums ran in this database, but its file is missing',
    )
    expect(await rollback(db, 1, [folder], { copies })).toEqual(['3_plums'])
    expect([await isThere('plums'), await isThere('pears')]).toEqual([false, true])
    rmSync(copies, { recursive: true })
    await expect(rollback(db, 1, [folder], { copies })).rejects.toThrow('2_pears ran in this database')
  })

  it('reverts none of them if one fails', async () => {
    await sql`drop table pears`.execute(db)
    await expect(rollback(db, 2, [folder])).rejects.toThrow('Migration 2_pears failed')
    expect(await isThere('plums')).toBe(true)
  })
})

describe('migrate, in another process of another version', () => {
  it('waits while another process migrates', async () => {
    const other = connectForTests(url, { poolSize: 1, maxWaiting: 1 })
    write('1_apples', UP('apples'))
    let migrated: Promise<string[]> | undefined
    await other.transaction().execute(async (transaction) => {
      await lockMigrations(transaction)
      migrated = migrate(db, [folder])
      await lockWait(db)
      expect(await isThere('apples')).toBe(false)
    })
    expect(await migrated).toEqual(['1_apples'])
    await other.destroy()
  })

  /** A migration that a strict engine ends this often, as it does with transactions that waited for another one. */
  const endedTimes = (count: number) => `
    let left = ${count}
    export const up = async (db) => {
      if (left-- > 0) throw Object.assign(new Error('restart transaction'), { code: '40001' })
      await db.schema.createTable('apples').addColumn('id', 'bigint').execute()
    }`

  it('begins again each time that the database ends its transaction', async () => {
    write('1_apples', endedTimes(6))
    expect(await migrate(db, [folder])).toEqual(['1_apples'])
    expect(await isThere('apples')).toBe(true)
  })

  it('fails with the reason if the database never commits', async () => {
    write('1_apples', endedTimes(1_000))
    await expect(migrate(db, [folder])).rejects.toThrow(
      'The database ended the migration 10 times, because other transactions changed the same rows or tables.',
    )
    expect(await isThere('apples')).toBe(false)
  })

  it.each(['with', 'without'])(
    'migrates an empty database once, %s the table of the lock, even if transactions are serializable by default',
    async (word) => {
      write('1_apples', UP('apples'))
      if (word === 'without') await sql`drop table kysely_migration_lock`.execute(db)
      const name = new URL(url).pathname.slice(1)
      await sql`alter database ${sql.id(name)} set default_transaction_isolation to serializable`.execute(db)
      const pools = [1, 2, 3].map(() => connectForTests(url, { poolSize: 1, maxWaiting: 1 }))
      const migrated = await Promise.all(pools.map((pool) => migrate(pool, [folder])))
      expect(migrated.toSorted((one, other) => one.length - other.length)).toEqual([[], [], ['1_apples']])
      await sql`alter database ${sql.id(name)} reset default_transaction_isolation`.execute(db)
      await Promise.all(pools.map((pool) => pool.destroy()))
    },
  )
})
