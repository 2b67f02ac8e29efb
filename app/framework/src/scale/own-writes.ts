import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { databaseContext } from '../database/executor.ts'
import type { Unit } from '../database/unit.ts'
import { LAST_POSITION, type LogPosition, readPosition, writePosition } from './log-position.ts'
import { clientOf } from './preferred.ts'
import { beforeHead } from '../http/before-head.ts'
import { openedToken } from '../http/security/session-cookie.ts'
import { httpSettings } from '../http/settings.ts'

/** Seconds that the cookie is valid for after the largest lag, since clocks differ. */
const MARGIN = 10

/** The beginning of the cookies' names. Each write has a cookie of its own, or the one of all further writes. */
const PREFIX = 'written-'

/** Sends a position that no replica reaches, so that it may replace itself in any order. */
const FURTHER = 'further'

/** The most cookies of a caller that no request has brought back yet. */
const MOST_UNSEEN = 3

/**
 * Returns middleware with which callers see their own writes, although lists are read from replicas: after a write, a
 * signed cookie holds the position in the primary's log, and their lists are read from replicas that have reached it. A
 * replica is at most `maxLag` milliseconds behind, so that the cookie expires a little later. Also tells the request log
 * which replica answered.
 *
 * The cookie is valid in the shard of the write: the log of another one has other positions.
 *
 * Each write has its own cookie, because the responses to concurrent writes arrive in any order, and the last one
 * would otherwise replace a greater position. The next write removes those that came with its request. After more than
 * three writes at once in a process, the caller's lists are read from the primary until the cookie expires, since cookies
 * of all of them would not fit into the header of a request.
 */
export function ownWrites(maxLag: number): RequestHandler {
  const seconds = Math.ceil(maxLag / 1_000) + MARGIN
  const unseen = new UnseenCookies(seconds * 1_000)
  return function ownWrites(req, res, next) {
    const { unit } = databaseContext()
    const cookies = positionsIn(req)
    for (const { position } of cookies)
      if (unit.position === null || position > unit.position) unit.position = position
    let last: LogPosition | null = null
    unit.onWritten = async (ask) => {
      const position = await currentPosition(ask)
      if (last === null)
        beforeHead(res, () => send(req, { position: last as LogPosition, cookies, seconds, unseen }))
      // Concurrent writes have several connections, whose answers arrive in any order.
      if (last === null || position > last) last = position
    }
    res.once('finish', () => {
      if (unit.replica != null) res.replica = unit.replica.name
    })
    next()
  }
}

/** Returns the position after a write. The write is committed, so that its request must not fail. */
async function currentPosition(ask: Parameters<NonNullable<Unit['onWritten']>>[0]): Promise<LogPosition> {
  try {
    const row = await ask('select pg_current_wal_insert_lsn()::text as position')
    return readPosition(String(row?.['position'])) ?? LAST_POSITION
  } catch {
    // An engine without positions gets here each time.
    return LAST_POSITION
  }
}

interface PositionCookie {
  readonly name: string
  readonly position: LogPosition
}

interface Written {
  readonly position: LogPosition
  /** Those that the request came with. */
  readonly cookies: readonly PositionCookie[]
  readonly seconds: number
  readonly unseen: UnseenCookies
}

function send(req: Request, { position, cookies, seconds, unseen }: Written): void {
  const { res } = req
  const { https, secret } = httpSettings(req.app)
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: https } as const
  const name = `${https ? '__Host-' : ''}${PREFIX}${unseen.nextName(callerOf(req), cookies)}`
  const sent = name.endsWith(FURTHER) ? LAST_POSITION : position
  const content = `${writePosition(sent)}.${Math.ceil(Date.now() / 1_000) + seconds}`
  const [first = ''] = [secret].flat()
  res?.cookie(name, `${content}.${signature(signedText(req, content), first)}`, {
    ...options,
    maxAge: seconds * 1_000,
    encode: String,
  })
  for (const old of cookies)
    if (old.position <= position && old.name !== name) res?.clearCookie(old.name, options)
}

/** The cookies that a process has sent, and that no request has brought back yet. */
class UnseenCookies {
  readonly #lifetime: number
  /** By the caller, in the order of the last write. */
  readonly #callers = new Map<string, { name: string; until: number }[]>()

  constructor(lifetime: number) {
    this.#lifetime = lifetime
  }

  /** Returns the name of the caller's next cookie, without the prefix. */
  nextName(caller: string, seen: readonly PositionCookie[], now = performance.now()): string {
    const cookies = (this.#callers.get(caller) ?? []).filter(
      ({ name, until }) => until > now && !seen.some((cookie) => cookie.name.endsWith(name)),
    )
    const name = cookies.length < MOST_UNSEEN ? randomBytes(4).toString('hex') : FURTHER
    if (name !== FURTHER) cookies.push({ name, until: now + this.#lifetime })
    this.#callers.delete(caller)
    this.#callers.set(caller, cookies)
    this.#forget(now)
    return name
  }

  #forget(now: number): void {
    for (const [caller, cookies] of this.#callers) {
      if (cookies.some(({ until }) => until > now)) return
      this.#callers.delete(caller)
    }
  }
}

/** Returns a text that distinguishes browsers: the session, or else what requests of guests have. */
const callerOf = (req: Request): string => openedToken(req) ?? clientOf(databaseContext().unit)

/** Returns the valid positions in the request's cookies. */
function positionsIn(req: Request): PositionCookie[] {
  const { cookie } = req.headers
  if (cookie === undefined || !cookie.includes(PREFIX)) return []
  const { https } = httpSettings(req.app)
  const start = `${https ? '__Host-' : ''}${PREFIX}`
  return cookie.split('; ').flatMap((text) => {
    if (!text.startsWith(start)) return []
    const [name = '', value = ''] = text.split('=', 2)
    const position = positionOf(req, value)
    return position === null ? [] : [{ name, position }]
  })
}

function positionOf(req: Request, value: string): LogPosition | null {
  const secrets = [httpSettings(req.app).secret].flat()
  const [text = '', expiry = '', signed = ''] = value.split('.')
  if (!(Number(expiry) > Date.now() / 1_000)) return null
  const content = signedText(req, `${text}.${expiry}`)
  const isValid = secrets.some((secret) => isSame(signed, signature(content, secret)))
  return isValid ? readPosition(text) : null
}

const signedText = ({ res }: Request, content: string) =>
  res?.shard === undefined ? content : `${content}.${res.shard}`

// The purpose is part of the key, so that no other text that the application signs is valid here.
const signature = (content: string, secret: string) =>
  createHmac('sha256', `written ${secret}`).update(content).digest('base64url')

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
