import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline, type Transform } from 'node:stream'

/** `repeatable` if the request can be sent again, because it was not received or changes nothing. */
export type Outcome = 'answered' | 'repeatable' | 'unknown'

interface Target {
  readonly host: string
  readonly port: number
  /** Returns what a response passes through, or null. A request whose page can be changed asks for an uncompressed one. */
  readonly change?: (response: IncomingMessage) => Transform | null
}

/** Sends the request to another server of this machine, unchanged, and its response to the client. */
export function forward(req: IncomingMessage, res: ServerResponse, target: Target): Promise<Outcome> {
  const { host, port, change } = target
  return new Promise((resolve) => {
    const { method, url } = req
    const kept = without(change ? /^(?:connection|keep-alive|accept-encoding)$/i : OF_ONE_CONNECTION)
    const headers = [...kept(req.rawHeaders), 'Connection', 'close']
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
      const kept = without(changing ? /^(?:connection|keep-alive|content-length)$/i : OF_ONE_CONNECTION)
      res.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, kept(incoming.rawHeaders))
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
