import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Shards } from 'pergola/scale'
import { freePort, tcpProxy } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { databaseConfig } from '../../test/fixtures/database-config.ts'
import { serveDatabases } from './serve-databases.ts'

const eu = await testDatabase()
const us = await testDatabase()
const network = await tcpProxy(us.url)
const shards = [
  { name: 'eu', url: eu.url, replica_urls: [] },
  { name: 'us', url: network.through(us.url), replica_urls: [] },
]

async function serve(config: ReturnType<typeof databaseConfig>) {
  const lines: { shard?: string; msg: string }[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as (typeof lines)[number])
      done()
    },
  })
  const prepared: string[] = []
  const databases = await serveDatabases(config, {
    log: pino(stream),
    prepare(_url, { shard = 'only' }) {
      prepared.push(shard)
      return Promise.resolve()
    },
    async check(db, _config, log) {
      await sql`select`.execute(db)
      log.warn('checked')
    },
    canServe: () => Promise.resolve(true),
  })
  onTestFinished(databases.end)
  return { databases, lines, prepared }
}

describe('serveDatabases', () => {
  it('opens, prepares and checks the only database', async () => {
    const { databases, lines, prepared } = await serve(databaseConfig({ url: eu.url }))
    expect(databases.db).not.toBeInstanceOf(Shards)
    expect(databases.isStarted()).toBe(true)
    expect(prepared).toEqual(['only'])
    expect(lines).toMatchObject([{ msg: 'checked' }])
    expect(lines[0]).not.toHaveProperty('shard')
  })

  it('names the remedy if the server has no such database', async () => {
    const url = Object.assign(new URL(eu.url), { pathname: '/no_such_database' }).href
    await expect(serve(databaseConfig({ url }))).rejects.toThrow('Create it with npx cli db prepare')
  })

  it('logs the check of a shard with its name', async () => {
    const { databases, lines, prepared } = await serve(databaseConfig({ shards }))
    expect(databases.db).toMatchObject({ names: ['eu', 'us'] })
    expect(prepared.toSorted()).toEqual(['eu', 'us'])
    expect(new Set(lines.map(({ shard }) => shard))).toEqual(new Set(['eu', 'us']))
  })

  it.each(['development', 'production'])('starts while a shard is down: %s', async (profile) => {
    network.cut()
    const { databases, lines } = await serve(databaseConfig({ shards }, profile))
    expect(lines).toMatchObject([{ shard: 'eu', msg: 'checked' }])
    network.heal()
    await databases.startOthers()
    expect(lines.at(-1)).toMatchObject({ shard: 'us', msg: 'checked' })
  })

  it('throws in development if the only database is down', async () => {
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/nothing`
    await expect(serve(databaseConfig({ url }, 'development'))).rejects.toThrow('ECONNREFUSED')
  })
})
