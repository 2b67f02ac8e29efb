import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { frameworkMigrations, migrate, withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { checkDatabase } from './check-database.ts'
import { readConfig } from './config.ts'
import { makeUser } from './users/user.factory.ts'

const { db } = await testDatabase()

describe('checkDatabase', () => {
  it('reads no columns of migrations that this version lacks', async () => {
    const newer = mkdtempSync(join(tmpdir(), 'newer-migrations-'))
    onTestFinished(() => rmSync(newer, { recursive: true }))
    writeFileSync(
      join(newer, '9_add_note.mjs'),
      `export const up = (db) => db.schema.alterTable('users')
        .addColumn('note', 'text', (column) => column.defaultTo('hidden')).execute()`,
    )
    await migrate(db, [frameworkMigrations, join(import.meta.dirname, 'db/migrations'), newer])
    await checkDatabase(db, readConfig({ NODE_ENV: 'test' }))
    const user = await withDatabase(db, () => makeUser())
    expect(user).toHaveProperty('name')
    expect(user).not.toHaveProperty('note')
  })
})
