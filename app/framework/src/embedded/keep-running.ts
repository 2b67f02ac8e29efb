import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { type Cluster, urls } from './server-process.ts'

interface Needs {
  /** Starts the server unless it is running. Resolves to whether it was not running. */
  readonly start: () => Promise<boolean>
  /** Aborted when this process doesn't need the server any more. */
  readonly signal: AbortSignal
  /** Receives a message when the server was restarted, and when a restart failed. */
  readonly report: (message: string) => void
}

const RETRY_AFTER = 1_000

/** Restarts the server whenever it ends, until `signal` is aborted. An open connection shows at once that it has ended. */
export async function keepRunning(cluster: Cluster, { start, signal, report }: Needs): Promise<void> {
  while (!signal.aborted) {
    await untilDisconnected(cluster, signal)
    if (signal.aborted) return
    try {
      if (await start()) report('The development Postgres had ended and was restarted.')
    } catch (error) {
      report(String(error))
      await sleep(RETRY_AFTER, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}

/** Connects, and resolves when the connection ends or can't be opened. */
async function untilDisconnected(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const client = new Client({ connectionString: urls(cluster)('postgres'), connectionTimeoutMillis: 5_000 })
  const ended = once(client, 'end', { signal })
  ended.catch(() => undefined)
  // `end` follows.
  client.on('error', () => {})
  try {
    await client.connect()
    await ended
  } catch {
    void client.end().catch(() => undefined)
  }
}
