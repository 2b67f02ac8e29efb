import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { tcpProxy } from './tcp-proxy.ts'

// Returns everything to its sender.
const echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1')
await once(echo, 'listening')
const target = `tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`

function connectTo(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  return socket.on('error', () => {})
}

async function open(url: string): Promise<Socket> {
  const socket = connectTo(url)
  await once(socket, 'connect')
  return socket
}

/** Resolves when the connection is closed or reset. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

async function answer(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString()
}

it('forwards bytes in both directions', async () => {
  const network = await tcpProxy(target)
  expect(await answer(await open(network.through(target)), 'one')).toBe('one')
})

it('resets open and new connections while it is cut', async () => {
  const network = await tcpProxy(target)
  const socket = await open(network.through(target))
  await answer(socket, 'one')
  const end = closed(socket)
  network.cut()
  await end
  await closed(connectTo(network.through(target)))
  network.heal()
  expect(await answer(await open(network.through(target)), 'two')).toBe('two')
})

it('keeps connections whose bytes vanish open and silent, also after it is healed', async () => {
  const network = await tcpProxy(target)
  const old = await open(network.through(target))
  await answer(old, 'one')
  network.vanish()
  const during = await open(network.through(target))
  const received: string[] = []
  for (const socket of [old, during]) {
    socket.on('data', (bytes: Buffer) => received.push(bytes.toString()))
    socket.write('lost')
  }
  network.heal()
  expect(await answer(await open(network.through(target)), 'two')).toBe('two')
  expect(received).toEqual([])
  expect([old, during].map(({ readyState }) => readyState)).toEqual(['open', 'open'])
})

it('delays bytes while it is slow, in their order', async () => {
  const network = await tcpProxy(target)
  network.slow({ milliseconds: 50, bytesPerSecond: 1_000_000 })
  const socket = await open(network.through(target))
  const begin = performance.now()
  expect(await answer(socket, 'one')).toBe('one')
  // In both directions. Timers may fire a millisecond early.
  expect(performance.now() - begin).toBeGreaterThan(95)
})
