import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { IncomingMessage } from 'node:http'
import type * as etaModule from 'eta'
import type expressModule from 'express'
import type { Request, Response } from 'express'
import type helmetModule from 'helmet'
import type * as ironSessionModule from 'iron-session'
import type * as rateLimiterModule from 'rate-limiter-flexible'
import { memoize } from '../resource/memoize.ts'

const require = createRequire(import.meta.url)

/**
 * Loads a package that only a server needs, on first use. Tasks and commands that import the framework start faster
 * without them.
 */
const load = memoize((name: string): unknown => require(name), Infinity)

export const loadExpress = () => load('express') as typeof expressModule
export const loadEta = () => load('eta') as typeof etaModule
export const loadHelmet = () => load('helmet') as typeof helmetModule
export const loadIronSession = () => load('iron-session') as typeof ironSessionModule
export const loadNegotiator = () => load('negotiator') as NegotiatorClass
export const loadRateLimiter = () => load('rate-limiter-flexible') as typeof rateLimiterModule

/**
 * Loads the packages that requests need, so that a server doesn't read their files later: a deploy may have replaced them.
 * Call it before the server listens.
 */
export async function loadServerPackages(): Promise<void> {
  loadEta()
  loadHelmet()
  loadIronSession()
  loadNegotiator()
  loadRateLimiter()
  await parseForm()
}

/** The parsers of bodies load their encodings with the first body. */
async function parseForm(): Promise<void> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' }
  const req = Object.assign(Readable.from([Buffer.from('a')]), { headers }) as unknown as Request
  await promisify<Request, Response>(loadExpress().urlencoded({ extended: false }))(req, {} as Response)
}

// The types on npm lack `preferred`, the order of codings that the client prefers equally.
type NegotiatorClass = new (req: Pick<IncomingMessage, 'headers'>) => {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
}
