import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE } from './load.ts'

/** The answers of a server to `/livez`, five a second. */
export interface Pulse {
  /** The number of answers. */
  readonly beats: number
  /** Stops, and resolves with the number of requests without a 200. */
  stop(): Promise<number>
}

/** Requests `/livez` of a server until `stop`, each time on a new connection. */
export function startPulse(url: string): Pulse {
  const stopping = new AbortController()
  const result = { beats: 0, failed: 0 }
  const beat = async () => {
    const signal = AbortSignal.timeout(PATIENCE * 1_000)
    const answer = await fetch(`${url}/livez`, { headers: { Connection: 'close' }, signal }).catch(() => null)
    result.beats++
    if (answer?.status !== 200) result.failed++
    await answer?.text()
  }
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await beat()
      await sleep(200)
    }
  })()
  return {
    get beats() {
      return result.beats
    },
    async stop() {
      stopping.abort()
      await done
      return result.failed
    },
  }
}
