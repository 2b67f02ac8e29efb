import { setTimeout as sleep } from 'node:timers/promises'
import { leaksIn } from './leaks-in.ts'
import type { Answer } from '../../testing/test-client.ts'

/** The requests of a load. */
export interface LoadRequests {
  /** Sends a request that reads. */
  read: () => Promise<Answer>
  /** Sends a request that stores one record with this key in it, and the header `Idempotency-Key` with the key. */
  write: (key: string) => Promise<Answer>
  /** Texts that no response may contain. */
  secrets: readonly string[]
}

/** A mixed load of readers and writers. */
export interface Load {
  /** The number of requests that ended. */
  readonly requests: number
  /** The number of requests with another response than a success, or with none. */
  readonly failed: number
  /** The keys of the writes with a response of success. */
  readonly acknowledged: readonly string[]
  /** A sentence for each unexpected response, and for each response that reveals internals. */
  readonly problems: readonly string[]
  /**
   * Resolves with the seconds from `since` (`performance.now()`, now by default) until a read and a write that began
   * after it have succeeded. Rejects after 30 seconds.
   */
  recovery(since?: number): Promise<number>
  /** Stops the load. Waits until every writer has an acknowledgement for its last write, or for 30 seconds. */
  stop(): Promise<void>
}

/** The most seconds in which a fault ends after its cause, and in which a request gets a response. */
export const PATIENCE = 30

const READERS = 4
const WRITERS = 4

/** The most requests of a load, so that a case that never ends doesn't fill the disk. */
const MOST_REQUESTS = 100_000

/**
 * Sends requests from four readers and four writers until `stop`. A writer sends a write again, with the same key, until
 * it gets a success: then the write is acknowledged. A fault may cause a 503, a 429 or no response; other responses
 * are problems.
 */
export function startLoad({ read, write, secrets }: LoadRequests): Load {
  const load = { requests: 0, failed: 0, acknowledged: [] as string[], problems: new Set<string>() }
  const last = { read: 0, write: 0 }
  const stopping = new AbortController()
  let deadline = Infinity

  const attempt = async (kind: 'read' | 'write', send: () => Promise<Answer>): Promise<boolean> => {
    const begin = performance.now()
    const answer = await inTime(send().catch(() => null))
    load.requests++
    for (const problem of problemsOf(answer, secrets)) load.problems.add(`${kind}: ${problem}`)
    const isSuccess = answer instanceof Object && answer.status < 300
    if (isSuccess) last[kind] = Math.max(last[kind], begin)
    else load.failed++
    // Without a pause, a server that refuses connections would get thousands of requests a second.
    await sleep(isSuccess ? 5 : 50)
    return isSuccess
  }
  const reader = async () => {
    while (!stopping.signal.aborted && load.requests < MOST_REQUESTS) await attempt('read', read)
  }
  const writer = async () => {
    while (!stopping.signal.aborted && load.requests < MOST_REQUESTS) {
      const key = crypto.randomUUID()
      while (!(await attempt('write', () => write(key)))) if (performance.now() > deadline) return
      load.acknowledged.push(key)
    }
  }
  const workers = [
    ...Array.from({ length: READERS }, () => reader()),
    ...Array.from({ length: WRITERS }, () => writer()),
  ]
  return {
    get requests() {
      return load.requests
    },
    get failed() {
      return load.failed
    },
    get acknowledged() {
      return load.acknowledged
    },
    get problems() {
      return [...load.problems]
    },
    async recovery(since = performance.now()) {
      const seconds = () => (performance.now() - since) / 1_000
      while (Math.min(last.read, last.write) < since) {
        if (seconds() > PATIENCE) throw new Error(`No recovery within ${PATIENCE} seconds.`)
        await sleep(10)
      }
      return seconds()
    },
    async stop() {
      deadline = performance.now() + PATIENCE * 1_000
      stopping.abort()
      await Promise.all(workers)
    },
  }
}

/** Resolves with `late` if the response takes longer than `PATIENCE`. */
async function inTime(answer: Promise<Answer | null>): Promise<Answer | null | 'late'> {
  const timer = new AbortController()
  const late = sleep(PATIENCE * 1_000, 'late' as const, { signal: timer.signal }).catch(() => null)
  const first = await Promise.race([answer, late])
  timer.abort()
  return first
}

function problemsOf(answer: Answer | null | 'late', secrets: readonly string[]): string[] {
  if (answer === null) return []
  if (answer === 'late') return [`no response within ${PATIENCE} seconds`]
  const { status, text } = answer
  const isExpected = status < 300 || status === 503 || status === 429
  return [...(isExpected ? [] : [`status ${status}: ${text.slice(0, 200)}`]), ...leaksIn(text, secrets)]
}

/** Returns how many of the acknowledged writes are not stored, and how many of all writes are stored twice. */
export function compareWithStored(
  acknowledged: readonly string[],
  stored: readonly string[],
): { lost: number; doubled: number } {
  const known = new Set(stored)
  return {
    lost: acknowledged.filter((key) => !known.has(key)).length,
    doubled: stored.length - known.size,
  }
}
