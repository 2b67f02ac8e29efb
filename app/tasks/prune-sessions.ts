import { countExpiredKeys, deleteExpiredKeys } from 'pergola'
import { task } from 'pergola/tasks'
import { countExpired, deleteExpiredAttempts, deleteExpiredSessions } from '#app/sessions/prune.ts'

export const pruneSessions = task('prune-sessions', {
  description: 'Deletes ended sessions, expired counters of sign-in attempts and expired idempotency keys.',
  dryRun: true,
  schedule: '30 3 * * *',
  async run({ dryRun, signal, progress, say }) {
    if (dryRun) {
      const { sessions, attempts } = await countExpired()
      return say(`Would delete ${describeCounts(sessions, attempts, await countExpiredKeys())}.`)
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
    const sessions = await deleteAll(deleteExpiredSessions)
    const attempts = await deleteAll(deleteExpiredAttempts)
    const keys = await deleteAll(deleteExpiredKeys)
    say(`Deleted ${describeCounts(sessions, attempts, keys)}.`)
  },
})

const describeCounts = (sessions: number, attempts: number, keys: number) =>
  `${counted(sessions, 'session')}, ${counted(attempts, 'attempt counter')} and ${counted(keys, 'idempotency key')}`

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
