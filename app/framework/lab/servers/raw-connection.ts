import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A TCP connection that sends any bytes, and collects the received bytes. */
export interface RawConnection {
  readonly socket: Socket
  /** Everything that it received, as Latin-1. */
  received: () => string
  /** Resolves with everything that it received when the server closes the connection. */
  readonly closed: Promise<string>
}

/**
 * Opens a connection to the server of a URL, and sends `text` as Latin-1. Rejects if the server accepts no connection.
 *
 * ```ts
 * const { closed } = await rawConnection(server.url, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')
 * expect(await closed).toMatch(/^HTTP\/1.1 400 /)
 * ```
 */
export async function rawConnection(url: string, text = ''): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname })
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
  // A server may reset the connection of a request that it refused.
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
  if (text !== '') socket.write(text, 'latin1')
  return { socket, received: () => received, closed }
}
