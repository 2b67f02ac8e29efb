import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll } from 'vitest'

/** Starts a mail server that accepts every command, and returns its URL. Stops it when the test file ends. */
export async function greetingMailServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('220 ready\r\n')
    socket.on('data', (command) => {
      if (command.toString().startsWith('QUIT')) socket.end('221 closed\r\n')
      else socket.write('250 ok\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => void server.close())
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}
