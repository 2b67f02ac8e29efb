import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { isProbeOrAsset, isRead, pathOf } from '../cheap-requests.ts'
import { hasCookie } from '../security/sealed-cookie.ts'
import { httpSettings, type HttpSettings } from '../settings.ts'
import { countEachSecond } from './count-each-second.ts'
import { Limiter } from './limiter.ts'
import { Places } from './places.ts'
import { overloadRefusal } from './refusal.ts'

/** The most milliseconds that a request waits for a place. */
const PATIENCE = 300
/** As many as a server has connections: only a client that doesn't wait for its responses fills the queue. */
const ROOM = 2_000
/**
 * The places of sign-in and of other requests with a password, whose hash they wait for. A flood of these takes no other
 * place, and a flood of other requests none of these.
 */
const SIGN_IN_PLACES = 4
/** A password takes about 100 ms to hash, and many users may sign in at the same time. */
const SIGN_IN_PATIENCE = 10
/** Further places for requests with a session cookie, forged or not, when a crowd of guests has taken all others. */
const SIGNED_IN_PLACES = 4
/** Milliseconds between two looks at the requests that have a place. */
const TICK = 10
/** The most milliseconds that a request has a place before its response begins, and after its client left. */
const LONGEST = 10_000
const LONGEST_ALONE = 1_000

interface AdmissionOptions {
  readonly settings: HttpSettings
  readonly log?: Logger | undefined
  readonly places?: Places
  readonly patience?: number | undefined
}

interface Admitted {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly lane: Limiter
  since: number
  leftAt?: number
  /** Whether the application waits for the rest of the body: the request then has no place. */
  isReceiving: boolean
}

/**
 * Returns a listener that limits how many requests `app` handles at once: see `Places`. Further requests wait in a queue.
 * They get a 503 after `patience` milliseconds. Probes and assets always pass. Requests with a password have places of
 * their own and ten times the patience. The requests of each shard have places of their own too. A place is free when the response ends or begins to stream, and
 * while the body arrives.
 */
export function admission(app: Express, options: AdmissionOptions): RequestListener {
  const { settings, log } = options
  const refuse = overloadRefusal(app, settings)
  const newDoor = (shard: string | null) =>
    new Door(app, refuse, { ...options, log: shard === null ? log : log?.child({ shard }) })
  const doors = new Map<string | null, Door>()
  const { signInPath, confirmationPath = signInPath, passwordPaths = [] } = settings
  const withPassword = new Set<string>([signInPath, confirmationPath, ...passwordPaths])
  return function admission(req, res) {
    if (isProbeOrAsset(req)) {
      app(req, res)
      return
    }
    const shard = shardOf(settings, req)
    const door = doors.get(shard) ?? newDoor(shard)
    doors.set(shard, door)
    const path = pathOf(req)
    // The form is a page, and can be opened when all pages are refused.
    const isSignIn = isRead(req) ? path === signInPath && door.pages.isFull : withPassword.has(path)
    door.enter(req, res, isSignIn ? door.signIn : door.pages)
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
  readonly #refuse: (req: IncomingMessage, res: ServerResponse) => void
  readonly #countRefusals: (fields: object) => void
  readonly #places: Places
  readonly pages: Limiter
  readonly signIn: Limiter
  readonly #signedIn: Limiter
  readonly #admitted = new Set<Admitted>()
  #ticks: NodeJS.Timeout | undefined

  constructor(
    app: Express,
    refuse: (req: IncomingMessage, res: ServerResponse) => void,
    { log, places = new Places(), patience = PATIENCE }: AdmissionOptions,
  ) {
    this.#app = app
    this.#refuse = refuse
    this.#places = places
    this.#countRefusals = countEachSecond(log, 'overload: requests were refused')
    const lane = (count: () => number, most = patience) =>
      new Limiter({ places: count, room: () => ROOM, patience: most })
    this.pages = lane(() => places.count)
    this.signIn = lane(() => SIGN_IN_PLACES, SIGN_IN_PATIENCE * patience)
    this.#signedIn = lane(() => SIGNED_IN_PLACES)
  }

  enter(req: IncomingMessage, res: ServerResponse, lane: Limiter): void {
    const isSignedIn = () => hasCookie(req, httpSettings(this.#app).sessionCookie)
    if (lane.tryAcquire()) this.#handle(req, res, lane)
    else if (lane === this.pages && isSignedIn() && this.#signedIn.tryAcquire())
      this.#handle(req, res, this.#signedIn)
    else this.#wait(req, res, lane)
  }

  #handle(req: IncomingMessage, res: ServerResponse, lane: Limiter): void {
    const admitted: Admitted = { req, res, lane, since: performance.now(), isReceiving: false }
    this.#admitted.add(admitted)
    this.#ticks ??= setInterval(() => this.#tick(), TICK).unref()
    // Emitted when the application ends the response. A slow client may still receive it.
    res.on('prefinish', () => this.#release(admitted))
    this.#app(req, res)
  }

  #release(admitted: Admitted): void {
    if (this.#admitted.delete(admitted) && !admitted.isReceiving) admitted.lane.release()
  }

  #wait(req: IncomingMessage, res: ServerResponse, lane: Limiter): void {
    // Without it, the request would run in the async context of the request whose place it takes.
    const inOwnContext = AsyncLocalStorage.snapshot()
    const isQueued = lane.wait({
      hasLeft: () => req.socket.destroyed,
      // In a turn of its own: the place may be free because another response ends right now.
      admit: () => setImmediate(inOwnContext, () => this.#handle(req, res, lane)),
      refuse: () => {
        this.#countRefusal()
        this.#refuse(req, res)
      },
    })
    if (isQueued) return
    this.#countRefusal()
    req.socket.destroy()
  }

  #countRefusal(): void {
    this.#countRefusals({ limit: this.#places.count })
  }

  #tick(): void {
    const now = performance.now()
    for (const admitted of this.#admitted) {
      if (isOver(admitted, now)) this.#release(admitted)
      else followBody(admitted, now)
    }
    this.#places.update(now, this.pages.hasQueue)
    if (this.#admitted.size > 0) return
    clearInterval(this.#ticks)
    this.#ticks = undefined
  }
}

/**
 * Frees the place of a request while the application waits for its body, and takes it again afterwards. Otherwise a few
 * clients that send their bodies slowly would take all places.
 */
function followBody(admitted: Admitted, now: number): void {
  const { req, lane } = admitted
  // An application that ignores the body doesn't wait for it.
  const isReceiving = !req.complete && req.readableFlowing !== null
  if (isReceiving === admitted.isReceiving) return
  admitted.isReceiving = isReceiving
  admitted.since = now
  if (isReceiving) lane.release()
  else lane.acquireAnyway()
}

/** Returns whether a place is free although the application didn't end the response over an open connection. */
function isOver(admitted: Admitted, now: number): boolean {
  const { req, res, since, isReceiving } = admitted
  // The application still works on a request whose client left. Its place would otherwise be another client's too soon.
  if (req.socket.destroyed) admitted.leftAt ??= now
  const isAbandoned = now - (admitted.leftAt ?? now) > LONGEST_ALONE
  const isLate = !isReceiving && now - since > LONGEST
  return res.headersSent || res.writableEnded || isAbandoned || isLate
}
