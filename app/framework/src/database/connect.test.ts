import { execFile } from 'node:child_process'
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../testing/index.ts'
import { connect } from './connect.ts'

/** A message of the Postgres protocol: its type, its length, its body. */
function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

const SHUT_DOWN = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0')

const { url } = await testDatabase()

const sockets: Socket[] = []
/** A proxy in front of Postgres, which reports a shutdown to a client that disconnects. */
const proxy = createServer((socket) => {
  sockets.push(socket)
  const server = connectTo(Number(new URL(url).port), new URL(url).hostname)
  server.pipe(socket).on('error', () => {})
  socket.on('error', () => {}).on('close', () => server.destroy())
  socket.on('data', (data) => {
    if (data.toString('latin1', 0, 1) === 'X') socket.end(SHUT_DOWN)
    else server.write(data)
  })
})
afterAll(() => void proxy.close())

describe('connect', () => {
  it('reports a connection that breaks once, but not one that breaks while the pool closes', async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = new URL(url)
    address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const onConnectionError = vi.fn<(error: Error) => void>()
    const db = connect({
      url: address.href,
      poolSize: 2,
      maxWaiting: 10,
      connectTimeout: 5_000,
      statementTimeout: 5_000,
      lockTimeout: 5_000,
      onConnectionError,
    })
    await sql`select 1`.execute(db)
    sockets.at(-1)?.end(SHUT_DOWN)
    await vi.waitFor(() => expect(onConnectionError).toHaveBeenCalled())
    expect(onConnectionError.mock.calls).toMatchObject([[{ message: 'terminating connection' }]])

    await sql`select 1`.execute(db)
    const closed = new Promise((resolve) => sockets.at(-1)?.once('close', resolve))
    await db.destroy()
    await closed
    expect(onConnectionError).toHaveBeenCalledOnce()
  })

  it('lets a process exit that asked its replicas, and sent no statement', { timeout: 30_000 }, async () => {
    const program = `
      import { connect } from ${JSON.stringify(import.meta.resolve('./connect.ts'))}
      import { replicaStates } from ${JSON.stringify(import.meta.resolve('../scale/replica-states.ts'))}
      import { readReplicas } from ${JSON.stringify(import.meta.resolve('../scale/read-replicas.ts'))}
      const replicas = readReplicas({ urls: [process.env.URL], maxLag: 1_000, timeout: 1_000 })
      const db = connect({ url: process.env.URL, poolSize: 1, maxWaiting: 1, replicas })
      for (const { problem } of await replicaStates(db)) console.log(problem)
      await db.destroy()`
    const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, URL: url },
      timeout: 20_000,
    })
    expect((await child).stdout).toBe('It is not a replica: it accepts writes.\n')
  })
})
