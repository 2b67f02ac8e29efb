import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withDatabase } from 'pergola'
import { frameworkMigrations, migrate, openDatabase } from 'pergola/database'
import { testDatabase } from 'pergola/testing'
import { checkDatabase } from './check-database.ts'
import { readConfig } from './config.ts'
import { makeUser } from './users/user.factory.ts'

const { db, url } = await testDatabase()
const config = readConfig({ NODE_ENV: 'test' })
const silent = pino({ level: 'silent' })

describe('checkDatabase', () => {
  const linesOf = async () => {
    const lines: string[] = []
    const log = pino({}, { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) })
    await checkDatabase(db, config, log)
    return lines
  }

  it('warns of a column that no resource declares, which is in no row', async () => {
    const newer = mkdtempSync(join(tmpdir(), 'newer-migrations-'))
    onTestFinished(() => rmSync(newer, { recursive: true }))
    writeFileSync(
      join(newer, '9_add_note.mjs'),
      `export const up = (db) => db.schema.alterTable('users')
        .addColumn('note', 'text', (column) => column.defaultTo('hidden')).execute()`,
    )
    await migrate(db, [frameworkMigrations, join(import.meta.dirname, 'db/migrations'), newer])
    expect(await linesOf()).toContain(
      'users.note is not declared, so no row of User contains it. ' +
        "Add it to the table type, and to columns or hidden of resource('User', …).",
    )
    const user = await withDatabase(db, () => makeUser())
    expect(user).toHaveProperty('name')
    expect(user).not.toHaveProperty('note')
  })

  it('throws for a declared column that the table lacks', async () => {
    await sql`alter table users rename disabled_at to ended_at`.execute(db)
    await expect(checkDatabase(db, config, silent)).rejects.toThrow(
      'User declares the column disabled_at, which the table users doesn’t have. Add it in a migration',
    )
    await sql`alter table users rename ended_at to disabled_at`.execute(db)
  })

  it('logs a warning for each capability that the database lacks', async () => {
    const lines: string[] = []
    const log = pino({}, { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) })
    const check = async () => {
      const other = openDatabase(url, config, silent)
      await checkDatabase(other, config, log)
      await other.destroy()
    }
    const name = sql.id(new URL(url).pathname.slice(1))
    await sql`alter database ${name} set default_transaction_isolation to serializable`.execute(db)
    await check()
    expect(lines.at(-1)).toMatch(/^The default isolation of the database is serializable\. .* set/)
    await sql`alter database ${name} reset default_transaction_isolation`.execute(db)
  })
})
