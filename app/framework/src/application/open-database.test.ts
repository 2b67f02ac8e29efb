import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { listQuery, PageRequest, withDatabase } from 'pergola'
import { fromShard } from 'pergola/scale'
import { lockTable, testDatabase } from 'pergola/testing'
import { databaseConfig } from '../../test/fixtures/database-config.ts'
import { Note, notes } from '../../test/fixtures/note.ts'
import { executor } from '../database/executor.ts'
import { databasesOf } from './database-settings.ts'
import { databaseServer, openDatabase, withPatientDatabase } from './open-database.ts'

const { db, url } = await testDatabase()
const log = pino({ level: 'silent' })

describe('openDatabase', () => {
  it('ends searches after search_timeout_ms', async () => {
    const hasty = openDatabase(url, databaseConfig({ search_timeout_ms: 50 }), log)
    afterAll(() => hasty.destroy())
    const query = listQuery({ originalUrl: '/notes?q=alice' }, Note)
    const search = () => withDatabase(hasty, () => notes.asSystem('test').page(new PageRequest(), { query }))
    const release = await lockTable(db, 'notes')
    await expect(search()).rejects.toMatchObject({
      status: 503,
      detail: expect.stringContaining('takes too long') as string,
    })
    await release()
    expect((await search()).content).toEqual([])
  })
})

describe('the shards of a command', { timeout: 60_000 }, () => {
  const parent = fs.mkdtempSync(join(tmpdir(), 'pergola-shards-'))
  // If root runs the tests, another user runs Postgres and must be able to enter the directory.
  fs.chmodSync(parent, 0o711)
  afterAll(() => fs.rmSync(parent, { recursive: true, maxRetries: 5 }))

  const config = databaseConfig({
    data_dir: join(parent, 'data'),
    shards: [
      { name: 'eu', url, replica_urls: [] },
      { name: 'us', replica_urls: [] },
      { name: 'asia', replica_urls: [] },
    ],
  })
  const nameHere = async () => {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(executor())
    return rows[0]?.name
  }

  it('are in the embedded Postgres if they have no URL', async () => {
    for (const one of databasesOf(config)) {
      const server = await databaseServer(one)
      const names = await withPatientDatabase(server.url, { log, config: one }, (own) =>
        withDatabase(own, async () => ({
          eu: await fromShard('eu', nameHere),
          us: await fromShard('us', nameHere),
          asia: await fromShard('asia', nameHere),
        })),
      )
      expect(names).toEqual({
        eu: new URL(url).pathname.slice(1),
        us: 'pergola_test_us',
        asia: 'pergola_test_asia',
      })
      server.leave()
    }
  })
})
