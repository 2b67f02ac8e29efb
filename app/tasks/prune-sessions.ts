import { countExpiredKeys, deleteExpiredKeys } from 'pergola/database'
import { task } from 'pergola/tasks'
import { readConfig } from '#app/config.ts'
import {
  countExpired,
  deleteExpiredCounters,
  deleteExpiredSessions,
  deleteExpiredTokens,
} from '#app/sessions/prune.ts'

export const pruneSessions = task('prune-sessions', {
  description: 'Deletes ended sessions, expired links, counters of rate limits and idempotency keys.',
  dryRun: true,
  schedule: '30 3 * * *',
  async run({ dryRun, signal, progress, say }) {
    const limits = readConfig().session
    if (dryRun) {
      const counts = { ...(await countExpired(limits)), keys: await countExpiredKeys() }
      return say(`Would delete ${describeCounts(counts)}.`)
    }
    let deleted = 0
    const deleteAll = async (deleteBatch: () => Promise<number>): Promise<number> => {
      const before = deleted
      for (let count = 1; count > 0; progress({ rows: (deleted += count), share: null })) {
        signal.throwIfAborted()
        count = await deleteBatch()
      }
      return deleted - before
    }
    const sessions = await deleteAll(() => deleteExpiredSessions(limits))
    const counters = await deleteAll(deleteExpiredCounters)
    const tokens = await deleteAll(deleteExpiredTokens)
    const keys = await deleteAll(deleteExpiredKeys)
    say(`Deleted ${describeCounts({ sessions, counters, tokens, keys })}.`)
  },
})

interface Counts {
  readonly sessions: number
  readonly counters: number
  readonly tokens: number
  readonly keys: number
}

const describeCounts = ({ sessions, counters, tokens, keys }: Counts) =>
  `${counted(sessions, 'session')}, ${counted(tokens, 'link')}, ${counted(counters, 'counter')} and ${counted(keys, 'idempotency key')}`

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
