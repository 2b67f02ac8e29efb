import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child, Ending } from './child.ts'
import { endingText } from './crash-page.ts'
import type { Front } from './front.ts'
import type { Watcher } from './watch.ts'
import type { DevelopmentWorker } from './worker.ts'

export type SupervisorOptions = {
  /** Starts the server. `prepare` is called when it listens. */
  server: { start(): Child; prepare(): void }
  /** Receives the requests, and forwards them to the server while it runs. Closed at the end. */
  front: Front
  /** Runs while the server runs. Requests don't wait for its start or its end. */
  worker?: DevelopmentWorker
  /**
   * Starts watching. Calls `changed` with the file for every change that needs a restart, and `recovered` when the database
   * was restarted, which restarts a crashed server only.
   */
  watch: (changed: (file: string) => void, recovered: () => void) => Pick<Watcher, 'settled' | 'close'>
  /** Stops the server and the supervisor. */
  signal: AbortSignal
}

const STABLE_AFTER = 5_000
const RETRY_AFTER = 300
const WRITTEN_WITHIN = 100

/** Keeps one server running and restarts it after every change, until `signal` is aborted. Never runs two at once. */
export async function supervise(options: SupervisorOptions): Promise<void> {
  await new Supervisor(options).run()
}

/**
 * Returns whether to restart the server without waiting for a change: after a late crash, or once after a signal. The code
 * is probably not the cause of these.
 */
export function worthRetrying({ uptime, signal }: Ending, wasRetry: boolean): boolean {
  return uptime >= STABLE_AFTER || (signal !== null && !wasRetry)
}

class Supervisor {
  readonly #options: SupervisorOptions
  readonly #restarts = new EventEmitter()
  // The reason for a restart; null if nothing has changed since the child was started.
  #reason: string | null = null
  #isRetry = false
  #isCrashed = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    options.front.onRestart(() => this.#restart('Restart requested'))
  }

  async run(): Promise<void> {
    const { front, watch, signal, worker } = this.#options
    const watcher = watch(
      (file) => this.#restart(`${file} changed`),
      () => this.#isCrashed && this.#restart('The database was restarted'),
    )
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    while (!signal.aborted) {
      // A server that starts earlier could load old and new code.
      await Promise.race([watcher.settled(), stopped])
      if (signal.aborted) break
      const ending = await this.#serve()
      if (ending !== null && !signal.aborted) await this.#recover(ending)
    }
    front.close()
    await Promise.all([watcher.close(), worker?.stop()])
  }

  /** Runs the server. Returns how it ended, or null if a change or the signal stopped it. */
  async #serve(): Promise<Ending | null> {
    this.#reason = null
    const child = this.#options.server.start()
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, this.#options.signal])
    const { front, server, worker } = this.#options
    void child.listening.then((port) => {
      if (signal.aborted) return
      front.forwardTo(port)
      worker?.start()
      server.prepare()
    })
    const ending = await Promise.race([child.ended, this.#nextRestart(signal)])
    over.abort()
    void worker?.stop()
    if (ending !== null) return ending
    this.#isRetry = false
    await child.stop()
    return null
  }

  async #recover(ending: Ending): Promise<void> {
    this.#isRetry = worthRetrying(ending, this.#isRetry)
    const { front, signal } = this.#options
    if (this.#isRetry) {
      console.error(`${endingText(ending)} Restarting.`)
      front.hold(endingText(ending).replace('.', ''))
      await sleep(RETRY_AFTER)
      return
    }
    // The server may have read a file that another program was still writing.
    await sleep(WRITTEN_WITHIN)
    if (this.#reason !== null) return
    console.error(`${endingText(ending)} Waiting for a file change.`)
    front.showCrash(ending)
    this.#isCrashed = true
    await this.#nextRestart(signal)
    this.#isCrashed = false
  }

  #restart(reason: string): void {
    this.#reason = reason
    this.#restarts.emit('restart')
  }

  async #nextRestart(signal: AbortSignal): Promise<null> {
    if (this.#reason === null) await once(this.#restarts, 'restart', { signal }).catch(() => undefined)
    if (signal.aborted) return null
    console.log(`${this.#reason}. Restarting.`)
    this.#options.front.hold(this.#reason ?? '')
    return null
  }
}
