import { createRequire } from 'node:module'
import type { IncomingMessage } from 'node:http'
import type * as etaModule from 'eta'
import type expressModule from 'express'
import type helmetModule from 'helmet'
import type * as ironSessionModule from 'iron-session'
import type * as pathToRegexpModule from 'path-to-regexp'
import type * as rateLimiterModule from 'rate-limiter-flexible'

const require = createRequire(import.meta.url)

/**
 * Loads a package that only a server needs, on first use. Tasks and commands that import the framework start faster
 * without them.
 */
export const loadExpress = () => require('express') as typeof expressModule
export const loadEta = () => require('eta') as typeof etaModule
export const loadHelmet = () => require('helmet') as typeof helmetModule
export const loadIronSession = () => require('iron-session') as typeof ironSessionModule
export const loadNegotiator = () => require('negotiator') as NegotiatorClass
export const loadPathToRegexp = () => require('path-to-regexp') as typeof pathToRegexpModule
export const loadRateLimiter = () => require('rate-limiter-flexible') as typeof rateLimiterModule

// The types on npm lack `preferred`, the order of codings that the client prefers equally.
type NegotiatorClass = new (req: Pick<IncomingMessage, 'headers'>) => {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
}
