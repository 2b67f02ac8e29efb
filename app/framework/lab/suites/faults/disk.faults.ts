import { chownSync, cpSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { smallDisk, withstand } from 'pergola/lab'
import { describe, expect, it } from 'vitest'
import { faultBed, newNote } from './fault-bed.ts'

const { postgres, load, sql, client, clientOf, startServer } = await faultBed()
const disk = smallDisk(64, postgres.user)
const logDisk = smallDisk(1, postgres.user)
const walDisk = smallDisk(64, postgres.user)

describe('the disk of Postgres', () => {
  it('is full', async (test) => {
    test.skip(disk.problem !== null, disk.problem ?? '')
    await sql(`create tablespace small location '${disk.folder}'`)
    for (const table of ['test_notes', 'idempotency_keys'])
      await sql(`alter table ${table} set tablespace small`)
    await withstand(test, load, async () => {
      disk.fill()
      // Free space in the last block takes some records.
      await expect
        .poll(async () => (await client.post('/api/test-notes', { json: newNote() })).status)
        .toBe(503)
      expect((await client.get('/api/test-notes')).status).toBe(200)
      disk.empty()
    })
  })
})

describe('the disk of the log', () => {
  it('is full: requests are served, and the log continues when space returns', async (test) => {
    test.skip(logDisk.problem !== null, logDisk.problem ?? '')
    const log = join(logDisk.folder, 'server.log')
    const server = await startServer({ SERVER__LOG_LEVEL: 'info' }, log)
    const guest = clientOf(server)
    const get = async (path: string, count = 1) => {
      for (let turn = 0; turn < count; turn++) expect((await guest.get(path)).status).toBe(404)
    }
    await get('/before')
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('/before')
    logDisk.fill()
    // The rest of the last block takes some lines. The others are written after a quarter of a second.
    await get('/full', 50)
    await sleep(1_000)
    await get('/still-full', 50)
    expect((await guest.get('/livez')).status).toBe(200)
    logDisk.empty()
    await get('/after')
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('/after')
    const lines = readFileSync(log, 'utf8').trim().split('\n')
    const paths = lines.slice(1).map((line) => (JSON.parse(line) as { req: { path: string } }).req.path)
    for (const path of ['/full', '/still-full']) expect(paths.filter((one) => one === path)).toHaveLength(50)
    logDisk.fill()
    await get('/full', 50)
    await server.end('SIGTERM')
  })
})

describe('the disk of the write-ahead log', () => {
  it('is full, until there is space and Postgres is started', async (test) => {
    test.skip(walDisk.problem !== null, walDisk.problem ?? '')
    await moveWriteAheadLog()
    await withstand(test, load, async () => {
      walDisk.fill()
      // The next segment needs space. Postgres ends, because it can't store what it has promised.
      await expect
        .poll(async () => {
          // While Postgres is down, it waits.
          await Promise.race([sql('select pg_switch_wal()').catch(() => {}), sleep(1_000)])
          return (await client.post('/api/test-notes', { json: newNote() })).status
        })
        .toBe(503)
      walDisk.empty()
      await postgres.stopImmediately()
      await postgres.start()
    })
  })

  async function moveWriteAheadLog(): Promise<void> {
    const [row] = (await sql('show data_directory')) as { data_directory: string }[]
    const folder = join(row?.data_directory ?? '', 'pg_wal')
    const moved = join(walDisk.folder, 'pg_wal')
    await postgres.stopImmediately()
    cpSync(folder, moved, { recursive: true, preserveTimestamps: true })
    const { uid = 0, gid = 0 } = postgres.user ?? {}
    for (const path of ['', ...(readdirSync(moved, { recursive: true }) as string[])])
      chownSync(join(moved, path), uid, gid)
    renameSync(folder, `${folder}.before`)
    symlinkSync(moved, folder)
    await postgres.start()
  }
})
