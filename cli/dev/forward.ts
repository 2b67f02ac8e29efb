import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'

/** `repeatable` if the request can be sent again, because it was not received or changes nothing. */
export type Outcome = 'answered' | 'repeatable' | 'unknown'

/** Sends the request to another server of this machine, unchanged, and its response to the client. */
export function forward(
  req: IncomingMessage,
  res: ServerResponse,
  { host, port }: { host: string; port: number },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const { method, url } = req
    const headers = [...endToEnd(req.rawHeaders), 'Connection', 'close']
    const outgoing = request({ host, port, method, path: url, headers, setHost: false, agent: false })
    let isConnected = false
    outgoing.once('socket', (socket) => {
      // Reads the body only now, so that the request can be repeated if no server listens.
      socket.once('connect', () => {
        isConnected = true
        req.pipe(outgoing)
      })
    })
    outgoing.once('response', (incoming) => {
      res.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, endToEnd(incoming.rawHeaders))
      pipeline(incoming, res, () => resolve('answered'))
    })
    outgoing.once('error', () => {
      if (res.headersSent || res.destroyed) return resolve('answered')
      resolve(!isConnected || isSafe(method) ? 'repeatable' : 'unknown')
    })
    abortWith(res, outgoing)
  })
}

/** Cancels the request if the client goes away. */
const abortWith = (res: ServerResponse, outgoing: ClientRequest) =>
  res.once('close', () => {
    if (!res.writableFinished) outgoing.destroy()
  })

const isSafe = (method = '') => ['GET', 'HEAD'].includes(method)

/** Removes the headers that are about one connection. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept = (index: number) => !/^(?:connection|keep-alive)$/i.test(rawHeaders[index - (index % 2)] ?? '')
  return rawHeaders.filter((_, index) => kept(index))
}
