import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './child.ts'
import type { Command, Ending } from './child.ts'
import { howItEnded } from './crash-page.ts'
import { CrashServer } from './crash-server.ts'

export type SupervisorOptions = Command & {
  /** Where the server listens; and the crash page, while there is no server. */
  host: string
  port: number
  /** Starts watching: `changed` is called with the file for every change that asks for a restart. */
  watch: (changed: (file: string) => void) => { close(): Promise<void> }
  /** Ends the supervision, and the server with it. */
  signal: AbortSignal
}

const SETTLED = 5_000
const RETRY_AFTER = 300

/** Keeps one server running, anew after every change, until `signal` is aborted. There are never two of them. */
export async function supervise(options: SupervisorOptions): Promise<void> {
  await new Supervisor(options).run()
}

/** A crash long after the start, or by a signal, is no change's fault: one more try, which has to last. */
export function worthRetrying({ lived, signal }: Ending, wasRetry: boolean): boolean {
  return lived >= SETTLED || (signal !== null && !wasRetry)
}

class Supervisor {
  readonly #options: SupervisorOptions
  readonly #crashServer: CrashServer
  readonly #restarts = new EventEmitter()
  // Why the child is to be started anew, as far as anything has happened since it was started.
  #reason: string | null = null
  #isRetry = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#crashServer = new CrashServer(options.host, options.port, () => this.#restart('You asked for it'))
  }

  async run(): Promise<void> {
    const { watch, signal } = this.#options
    const watcher = watch((file) => this.#restart(`${file} has changed`))
    while (!signal.aborted) {
      const ending = await this.#serve()
      if (ending !== null && !signal.aborted) await this.#recover(ending)
    }
    await watcher.close()
  }

  /** The ending of a child that ended by itself; null where a change or the signal asked for it. */
  async #serve(): Promise<Ending | null> {
    this.#reason = null
    const child = startChild(this.#options)
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, this.#options.signal])
    void this.#crashServer.releaseWhenUp(signal)
    const ending = await Promise.race([child.ended, this.#nextRestart(signal)])
    over.abort()
    if (ending !== null) return ending
    this.#isRetry = false
    await child.stop()
    return null
  }

  async #recover(ending: Ending): Promise<void> {
    this.#isRetry = worthRetrying(ending, this.#isRetry)
    console.error(`${howItEnded(ending)} ${this.#isRetry ? 'Starting it again.' : 'Waiting for a change.'}`)
    if (this.#isRetry) {
      await sleep(RETRY_AFTER)
      return
    }
    await this.#crashServer.open(ending)
    await this.#nextRestart(this.#options.signal)
    await this.#crashServer.close(this.#options.signal)
  }

  #restart(reason: string): void {
    this.#reason = reason
    this.#restarts.emit('restart')
  }

  async #nextRestart(signal: AbortSignal): Promise<null> {
    if (this.#reason === null) await once(this.#restarts, 'restart', { signal }).catch(() => undefined)
    if (!signal.aborted) console.log(`${this.#reason}: starting anew.`)
    return null
  }
}
