import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type QueryConfig } from 'pg'

/** Milliseconds between two questions. */
const INTERVAL = 100
/** Milliseconds until a server that failed is asked again. */
export const PAUSE = 500

interface Watched<Answer> {
  readonly url: string
  /** Milliseconds that the server has to answer. */
  readonly timeout: number
  readonly question: () => string
  /** Called with the answer, and with the time of the question as `performance.now()`. */
  readonly onAnswer: (answer: Answer, askedAt: number) => void
  /** Called when the server doesn't answer, and when its answer is an error. */
  readonly onFailure: (error: Error) => void
}

/** Asks a server the same question again and again over one connection, until the returned function is called. */
export function watch<Answer extends object>(watched: Watched<Answer>): () => Promise<void> {
  const end = new AbortController()
  const running = keepAsking(watched, end.signal)
  return async () => {
    end.abort()
    await running
  }
}

async function keepAsking<Answer extends object>(watched: Watched<Answer>, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    try {
      await askUntilFailure(watched, end)
    } catch (error) {
      if (!end.aborted) watched.onFailure(error as Error)
    }
    await pause(PAUSE, end)
  }
}

async function askUntilFailure<Answer extends object>(
  { url, timeout, question, onAnswer }: Watched<Answer>,
  end: AbortSignal,
): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'pergola-watch',
    connectionTimeoutMillis: timeout,
  })
  // The error also rejects the query that is running, and the next one.
  client.on('error', () => {})
  try {
    await client.connect()
    while (!end.aborted) {
      const askedAt = performance.now()
      const { rows } = await client.query<Answer>({ text: question(), query_timeout: timeout } as QueryConfig)
      onAnswer(rows[0] as Answer, askedAt)
      await pause(INTERVAL, end)
    }
  } finally {
    // A server that hangs would not answer the farewell.
    ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  }
}

const pause = (milliseconds: number, end: AbortSignal) =>
  sleep(milliseconds, undefined, { signal: end, ref: false }).catch(() => {})
