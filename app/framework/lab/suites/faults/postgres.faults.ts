import { setTimeout as sleep } from 'node:timers/promises'
import { acknowledgements, withstand } from 'pergola/lab'
import { describe, expect, it } from 'vitest'
import { faultBed, newNote } from './fault-bed.ts'

const { postgres, load, sql, client } = await faultBed()

describe('Postgres', () => {
  it('is killed and starts again', (test) =>
    withstand(test, load, async () => {
      await postgres.kill()
      await sleep(2_000)
      await postgres.start()
    }))

  it('restarts immediately', (test) =>
    withstand(test, load, async () => {
      await postgres.stopImmediately()
      await postgres.start()
    }))

  it('freezes for ten seconds', (test) =>
    withstand(test, load, async () => {
      postgres.freeze()
      expect((await client.get('/readyz')).status).toBe(503)
      await sleep(10_000)
      postgres.thaw()
    }))

  it('ends all connections, ten times', (test) =>
    withstand(test, load, async (load) => {
      for (let round = 0; round < 10; round++) {
        await sql(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'pergola' and pid <> pg_backend_pid()`)
        await acknowledgements(load, 10)
      }
    }))

  it('becomes read-only and writable again', (test) =>
    withstand(test, load, async () => {
      await sql('alter system set default_transaction_read_only = on')
      await sql('select pg_reload_conf()')
      await expect
        .poll(async () => (await client.post('/api/test-notes', { json: newNote() })).status)
        .toBe(503)
      for (let count = 0; count < 50; count++) expect((await client.get('/api/test-notes')).status).toBe(200)
      await sql('alter system reset default_transaction_read_only')
      await sql('select pg_reload_conf()')
    }))
})
