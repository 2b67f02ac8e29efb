import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline, type Transform } from 'node:stream'

/** `repeatable` if the request can be sent again, because it was not received or changes nothing. */
export type Outcome = 'answered' | 'repeatable' | 'unknown'

interface Target {
  readonly host: string
  readonly port: number
  /** Returns the stream that the body of a response is piped through, or null. The request then accepts no compression. */
  readonly change?: (response: IncomingMessage) => Transform | null
}

/** Sends the request to another server of this machine, and its response to the client. */
export function forward(req: IncomingMessage, res: ServerResponse, target: Target): Promise<Outcome> {
  const { host, port, change } = target
  return new Promise((resolve) => {
    const { method, url } = req
    const sent = without(change ? /^(?:connection|keep-alive|accept-encoding)$/i : OF_ONE_CONNECTION)
    const headers = [...sent(req.rawHeaders), 'Connection', 'close']
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
      const changing = change?.(incoming)
      const received = without(changing ? /^(?:connection|keep-alive|content-length)$/i : OF_ONE_CONNECTION)
      res.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, received(incoming.rawHeaders))
      pipeline([incoming, ...(changing ? [changing] : []), res], () => resolve('answered'))
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

const OF_ONE_CONNECTION = /^(?:connection|keep-alive)$/i

/** Returns a function that removes the headers with these names. */
const without = (names: RegExp) => (rawHeaders: readonly string[]) =>
  rawHeaders.filter((_, index) => !names.test(rawHeaders[index - (index % 2)] ?? ''))
