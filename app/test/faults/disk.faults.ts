import { smallDisk, withstand } from 'pergola/testing'
import { describe, expect, it } from 'vitest'
import { faultBed, newNote } from './fault-bed.ts'

const { postgres, load, sql, client } = await faultBed()
const disk = smallDisk(64, postgres.user)

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
