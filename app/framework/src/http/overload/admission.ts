import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { isProbeOrAsset, isRead, pathOf } from '../cheap-requests.ts'
import { hasCookie } from '../sealed-cookie.ts'
import type { HttpSettings } from '../settings.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { Lane } from './lane.ts'
import { overloadRefusal } from './refusal.ts'
import { Refusals } from './refusals.ts'

/**
 * The places of sign-in and of other requests with a password, whose hash they wait for. A flood of these takes no other
 * place, and a flood of other requests none of these.
 */
const SIGN_IN_PLACES = 4
/** As many as a process can check within the second that a request waits, at about 10 ms for each password. */
const SIGN_IN_QUEUE = 50
/** Further places for requests with a session cookie, forged or not, when a crowd of guests has taken all others. */
const SIGNED_IN_PLACES = 4
/** Milliseconds between two looks at the places and the queues. */
const TICK = 10
/** The most milliseconds that a request has a place before its response begins, and after its client left. */
const LONGEST = 10_000
const LONGEST_ALONE = 1_000

interface AdmissionOptions {
  readonly settings: HttpSettings
  readonly log?: Logger | undefined
  readonly limit?: ConcurrencyLimit
}

interface Place {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly lane: Lane
  since: number
  leftAt?: number
  /** Whether the application waits for the rest of the body: the request then doesn't count. */
  isReceiving: boolean
}

/**
 * Returns a listener that limits how many requests `app` handles at once: see `ConcurrencyLimit`. Further requests wait
 * in a short queue. They get a 503 if the queue is full, or after a second. Probes and assets always pass, and requests
 * with a password have places of their own, and so have the requests of each shard. A place is free when the response
 * ends or begins to stream, and while the body arrives.
 */
export function admission(app: Express, { settings, log, limit }: AdmissionOptions): RequestListener {
  const refuse = overloadRefusal(app, settings)
  const newDoor = (shard: string | null) =>
    new Door(
      app,
      new Refusals(refuse, shard === null ? log : log?.child({ shard })),
      limit ?? new ConcurrencyLimit(performance.now()),
    )
  const doors = new Map<string | null, Door>()
  const doorOf = (req: IncomingMessage) => {
    const shard = shardOf(settings, req)
    const door = doors.get(shard) ?? newDoor(shard)
    doors.set(shard, door)
    return door
  }
  const { signInPath, confirmationPath = signInPath, passwordPaths = [] } = settings
  const withPassword = new Set<string>([signInPath, confirmationPath, ...passwordPaths])
  const laneOf = (door: Door, req: IncomingMessage) => {
    const path = pathOf(req)
    if (!isRead(req)) return withPassword.has(path) ? door.signIn : door.pages
    // The form is a page, and can be opened when all pages are refused.
    return path === signInPath && door.pages.isFull ? door.signIn : door.pages
  }
  return function admission(req, res) {
    const door = isProbeOrAsset(req) ? null : doorOf(req)
    if (door === null) app(req, res)
    else door.enter(req, res, laneOf(door, req))
  }
}

/** Returns the shard of a request. If that throws, the application throws the error again, and answers. */
function shardOf({ shardFor }: HttpSettings, req: IncomingMessage): string | null {
  try {
    return shardFor?.(req) ?? null
  } catch {
    return null
  }
}

class Door {
  readonly #app: Express
  readonly #refusals: Refusals
  readonly #limit: ConcurrencyLimit
  readonly pages = new Lane(() => this.#limit.current)
  readonly signIn = new Lane(() => SIGN_IN_PLACES, SIGN_IN_QUEUE)
  readonly #signedIn = new Lane(() => SIGNED_IN_PLACES)
  readonly #lanes = [this.pages, this.signIn, this.#signedIn]
  readonly #places = new Set<Place>()
  #nextTick: number | undefined

  constructor(app: Express, refusals: Refusals, limit: ConcurrencyLimit) {
    this.#app = app
    this.#refusals = refusals
    this.#limit = limit
  }

  enter(req: IncomingMessage, res: ServerResponse, lane: Lane): void {
    this.#startTicking()
    if (lane.take()) this.#handle(req, res, lane)
    else if (lane === this.pages && hasCookie(req, 'sid') && this.#signedIn.take())
      this.#handle(req, res, this.#signedIn)
    else this.#wait(req, res, lane)
  }

  #handle(req: IncomingMessage, res: ServerResponse, lane: Lane): void {
    const place: Place = { req, res, lane, since: performance.now(), isReceiving: false }
    this.#places.add(place)
    // Emitted when the application ends the response. A slow client may still receive it.
    res.on('prefinish', () => {
      if (lane === this.pages && res.statusCode < 500) this.#limit.addLatency(performance.now() - place.since)
      this.#release(place)
    })
    if (lane === this.pages && lane.isFull) this.#limit.noteFull()
    this.#app(req, res)
  }

  #release(place: Place): void {
    if (this.#places.delete(place) && !place.isReceiving) place.lane.leave()
  }

  /**
   * Frees the place of a request while the application waits for its body, and takes it again afterwards. Otherwise a few
   * clients that send their bodies slowly would take all places.
   */
  #followBody(place: Place, now: number): void {
    const isReceiving = isWaitingForBody(place.req)
    if (isReceiving === place.isReceiving) return
    place.isReceiving = isReceiving
    place.since = now
    if (isReceiving) place.lane.leave()
    else place.lane.takeAnyway()
  }

  #wait(req: IncomingMessage, res: ServerResponse, lane: Lane): void {
    // Without it, the request would run in the async context of the request whose place it takes.
    const inOwnContext = AsyncLocalStorage.snapshot()
    const refuse = () => this.#refusals.add(req, res)
    const isQueued = lane.wait({
      since: performance.now(),
      hasLeft: () => req.socket.destroyed,
      // In a turn of its own: the place may be free because another response ends right now.
      admit: () => setImmediate(inOwnContext, () => this.#handle(req, res, lane)),
      refuse,
    })
    if (!isQueued) refuse()
  }

  /** Ticks until no request is left. */
  #startTicking(): void {
    if (this.#nextTick !== undefined) return
    this.#nextTick = performance.now() + TICK
    setTimeout(() => this.#tick(), TICK).unref()
  }

  #tick(): void {
    const now = performance.now()
    const lag = now - (this.#nextTick ?? now)
    this.#nextTick = undefined
    for (const place of this.#places) {
      if (isOver(place, now)) this.#release(place)
      else this.#followBody(place, now)
    }
    for (const lane of this.#lanes) lane.sweep(now)
    this.#refusals.tick(now, this.#limit.current)
    this.#limit.addLag(lag)
    this.#limit.update(now)
    const isIdle =
      this.#places.size === 0 && this.#refusals.isIdle && this.#lanes.every((lane) => lane.isIdle)
    if (!isIdle) this.#startTicking()
  }
}

/** Returns whether the body is incomplete and read. An application that ignores the body doesn't wait for it. */
const isWaitingForBody = (req: IncomingMessage): boolean => !req.complete && req.readableFlowing !== null

/** Returns whether a place is free although the application didn't end the response over an open connection. */
function isOver(place: Place, now: number): boolean {
  const { req, res, since, isReceiving } = place
  // The application still works on a request whose client left. Its place would otherwise be another client's too soon.
  if (req.socket.destroyed) place.leftAt ??= now
  const isAbandoned = place.leftAt !== undefined && now - place.leftAt > LONGEST_ALONE
  const isLate = !isReceiving && now - since > LONGEST
  return res.headersSent || res.writableEnded || isAbandoned || isLate
}
