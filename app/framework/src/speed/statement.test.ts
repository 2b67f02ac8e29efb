import { Client, type PoolClient } from 'pg'
import { isPooled } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendStatement } from './statement.ts'

const { url } = await testDatabase()
const client = new Client({ connectionString: url })
beforeAll(() => client.connect())
afterAll(() => client.end())

const known = new Map<string, object>()

/** Executes a statement, and returns its result and the messages that the server sent. */
async function run(text: string, values: readonly unknown[] = [], name?: string) {
  const messages: string[] = []
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  const note = ({ name: message }: { name: string }) => messages.push(message)
  connection.on('message', note)
  try {
    const result = await sendStatement(client as unknown as PoolClient, { text, values, name, known })
    return { ...result, messages }
  } finally {
    connection.off('message', note)
  }
}

const value = async () => (await run('select $1::text as value', ['usable'])).rows

// A connection pooler may lose the statement between two uses.
describe.skipIf(await isPooled(url))('a named statement', () => {
  const ask = (id: unknown) => run('select $1::bigint as post_id, $2::text as title', [id, null], 'ask')

  it('asks for its columns only the first time', async () => {
    const first = await ask(7)
    const second = await ask(8)
    expect(first).toMatchObject({ command: 'SELECT', rowCount: 1, rows: [{ post_id: 7, title: null }] })
    expect(second.rows).toEqual([{ post_id: 8, title: null }])
    expect(first.messages).toContain('rowDescription')
    expect(second.messages).not.toContain('rowDescription')
  })

  it('fails for an id beyond 2^53, and the connection remains usable', async () => {
    await expect(ask('9007199254740993')).rejects.toThrow('post_id')
    expect((await ask(9)).rows).toEqual([{ post_id: 9, title: null }])
  })

  it('fails with the error of the server, and the connection remains usable', async () => {
    await expect(ask('seven')).rejects.toMatchObject({ code: '22P02' })
    expect((await ask(10)).rows).toEqual([{ post_id: 10, title: null }])
  })
})

describe('a statement without a name', () => {
  it('sends the values that the driver can send', async () => {
    const { rows } = await run(
      'select $1::int[] as numbers, $2::jsonb as json, $3::bytea as bytes, $4::boolean as yes, $5::text as nothing',
      [[1, 2], { a: 'ü' }, Buffer.from('é'), true, undefined],
    )
    expect(rows).toEqual([
      { numbers: [1, 2], json: { a: 'ü' }, bytes: Buffer.from('é'), yes: true, nothing: null },
    ])
  })

  it('returns the number of written rows', async () => {
    await run('create temporary table written (id int)')
    const inserted = await run('insert into written select generate_series(1, $1)', [12])
    expect(inserted).toMatchObject({ command: 'INSERT', rowCount: 12, rows: [] })
    expect(await run('delete from written')).toMatchObject({ command: 'DELETE', rowCount: 12 })
  })

  it('returns the result of the first of several statements', async () => {
    const { command, rows, rowCount } = await run('select 1 as one; select 2 as two, 3 as three')
    expect({ command, rows, rowCount }).toEqual({ command: 'SELECT', rows: [{ one: 1 }], rowCount: 1 })
  })

  it('returns nothing for an empty text', async () => {
    expect(await run('')).toMatchObject({ command: '', rows: [], rowCount: 0 })
  })

  it('fails if it receives data, and the connection remains usable', async () => {
    await run('create temporary table copied (id int)')
    await expect(run('copy copied from stdin')).rejects.toThrow('sends no data')
    expect(await value()).toEqual([{ value: 'usable' }])
  })

  it('fails if a value throws while it is converted, and the connection remains usable', async () => {
    const toJSON = () => {
      throw new Error('no JSON')
    }
    await expect(run('select $1', [{ toJSON }])).rejects.toThrow('no JSON')
    expect(await value()).toEqual([{ value: 'usable' }])
  })

  it('that sends data with COPY returns no rows, and the connection remains usable', async () => {
    expect((await run('copy (select 1) to stdout')).rows).toEqual([])
    expect(await value()).toEqual([{ value: 'usable' }])
  })
})
