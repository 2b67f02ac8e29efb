import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'

type Refuse = (req: IncomingMessage, res: ServerResponse) => void

/** Refusals per tick of 10 ms. They take a few percent of a core. A busy event loop ticks, and refuses, less often. */
const PER_TICK = 10
const AT_ONCE = 100
/** The most refusals that wait for their turn: as many as a server has connections. */
const MOST_WAITING = 2_000
const SECOND = 1_000

/**
 * Refuses requests at once, but at most 1,000 per second, and logs their number once a second. Clients that retry at
 * once would otherwise keep the process busy with refusals. Those above the limit wait for their turn.
 */
export class Refusals {
  readonly #refuse: Refuse
  readonly #log: Logger | undefined
  #waiting: [IncomingMessage, ServerResponse][] = []
  #allowed = AT_ONCE
  #unlogged = 0
  #loggedAt = -Infinity

  constructor(refuse: Refuse, log: Logger | undefined) {
    this.#refuse = refuse
    this.#log = log
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#unlogged === 0
  }

  add(req: IncomingMessage, res: ServerResponse): void {
    this.#unlogged++
    // Only a client that sends many requests without waiting for responses gets here.
    if (this.#waiting.length >= MOST_WAITING) req.socket.destroy()
    else this.#waiting.push([req, res])
    if (this.#waiting.length === 1) this.#flush()
  }

  /** Refuses those whose turn it is. `limit` is for the log. */
  tick(now: number, limit: number): void {
    this.#allowed = Math.min(this.#allowed + PER_TICK, AT_ONCE)
    this.#flush()
    if (this.#unlogged === 0 || now - this.#loggedAt < SECOND) return
    this.#log?.warn({ refused: this.#unlogged, limit }, 'overload: requests were refused')
    this.#unlogged = 0
    this.#loggedAt = now
  }

  #flush(): void {
    this.#waiting = this.#waiting.filter(([req]) => !req.socket.destroyed)
    const turn = this.#waiting.splice(0, this.#allowed)
    this.#allowed -= turn.length
    for (const [req, res] of turn) this.#refuse(req, res)
  }
}
