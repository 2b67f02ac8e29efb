import { task } from 'pergola/tasks'
import { countExpired, deleteExpiredAttempts, deleteExpiredSessions } from '#app/sessions/prune.ts'

export const pruneSessions = task('prune-sessions', {
  description: 'Deletes ended sessions and expired counters of sign-in attempts.',
  dryRun: true,
  schedule: '30 3 * * *',
  async run({ dryRun, signal, progress, say }) {
    if (dryRun) {
      const { sessions, attempts } = await countExpired()
      return say(`Would delete ${describeCounts(sessions, attempts)}.`)
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
    say(`Deleted ${describeCounts(sessions, attempts)}.`)
  },
})

const describeCounts = (sessions: number, attempts: number) =>
  `${sessions} ${sessions === 1 ? 'session' : 'sessions'} and ${attempts} ${attempts === 1 ? 'attempt counter' : 'attempt counters'}`
