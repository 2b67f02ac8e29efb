import { type AddressInfo, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect } from './connect.ts'

/** A message of the Postgres protocol: its type, its length, its body. */
function message(type: string, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

const LOGGED_IN = message('R', Buffer.alloc(4))
const READY = message('Z', 'I')
const DONE = Buffer.concat([message('C', 'SELECT 0\0'), READY])
const SHUT_DOWN = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0')

const sockets: Socket[] = []
/** A server that answers every query with no rows, and reports its shutdown to a client that disconnects. */
const server = createServer((socket) => {
  sockets.push(socket)
  socket.once('data', () => {
    socket.write(Buffer.concat([LOGGED_IN, READY]))
    socket.on('data', (data) => {
      if (data.toString('latin1', 0, 1) === 'X') socket.end(SHUT_DOWN)
      else socket.write(DONE)
    })
  })
})
afterEach(() => void server.close())

describe('connect', () => {
  it('reports a connection that breaks once, but not one that breaks while the pool closes', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const onConnectionError = vi.fn<(error: Error) => void>()
    const db = connect({
      url: `postgres://test@127.0.0.1:${port}/test`,
      poolSize: 2,
      maxWaiting: 10,
      connectTimeout: 5_000,
      statementTimeout: 5_000,
      lockTimeout: 5_000,
      onConnectionError,
    })
    await sql`select 1`.execute(db)
    sockets[0]?.end(SHUT_DOWN)
    await vi.waitFor(() => expect(onConnectionError).toHaveBeenCalled())
    expect(onConnectionError.mock.calls).toMatchObject([[{ message: 'terminating connection' }]])

    await sql`select 1`.execute(db)
    const closed = new Promise((resolve) => sockets[1]?.once('close', resolve))
    await db.destroy()
    await closed
    expect(onConnectionError).toHaveBeenCalledOnce()
  })
})
