import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { ownPostgres } from './own-postgres.ts'

const postgres = await ownPostgres()

async function query(text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: postgres.url('postgres') })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

it('keeps committed rows when it is killed and started again', async () => {
  await query('create table kept as select 7 as id')
  expect(await query('show synchronous_commit')).toEqual([{ synchronous_commit: 'on' }])
  await postgres.kill()
  await expect(query('select 1')).rejects.toThrow('ECONNREFUSED')
  await postgres.start()
  expect(await query('select id from kept')).toEqual([{ id: 7 }])
})

it('keeps committed rows when it is stopped immediately', async () => {
  await query('create table also_kept as select 8 as id')
  await postgres.stopImmediately()
  await postgres.start()
  await postgres.start()
  expect(await query('select id from also_kept')).toEqual([{ id: 8 }])
})

it('does not answer while it is frozen', async () => {
  postgres.freeze()
  const events: string[] = []
  const answer = query('select 1').then(() => events.push('answer'))
  // A server that is not frozen answers in this time.
  await sleep(500)
  events.push('thaw')
  postgres.thaw()
  await answer
  expect(events).toEqual(['thaw', 'answer'])
})
