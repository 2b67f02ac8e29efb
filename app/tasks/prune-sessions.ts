import { countExpiredKeys, deleteExpiredKeys } from 'pergola'
import { task } from 'pergola/tasks'
import { readConfig } from '#app/config.ts'
import { countExpired, deleteExpiredCounters, deleteExpiredSessions } from '#app/sessions/prune.ts'

export const pruneSessions = task('prune-sessions', {
  description: 'Deletes ended sessions, expired counters of rate limits and expired idempotency keys.',
  dryRun: true,
  schedule: '30 3 * * *',
  async run({ dryRun, signal, progress, say }) {
    const limits = readConfig().session
    if (dryRun) {
      const { sessions, counters } = await countExpired(limits)
      return say(`Would delete ${describeCounts(sessions, counters, await countExpiredKeys())}.`)
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
    const keys = await deleteAll(deleteExpiredKeys)
    say(`Deleted ${describeCounts(sessions, counters, keys)}.`)
  },
})

const describeCounts = (sessions: number, counters: number, keys: number) =>
  `${counted(sessions, 'session')}, ${counted(counters, 'counter')} and ${counted(keys, 'idempotency key')}`

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
