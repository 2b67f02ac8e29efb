import { task } from 'pergola/tasks'
import { countPast, deletePastAttempts, deletePastSessions } from '#app/sessions/prune.ts'

export const pruneSessions = task('prune-sessions', {
  description: 'Deletes sessions that ended, and counts of sign-in attempts that are over.',
  dryRun: true,
  schedule: '30 3 * * *',
  async run({ dryRun, signal, progress, say }) {
    if (dryRun) {
      const { sessions, attempts } = await countPast()
      return say(`Would delete ${inWords(sessions, attempts)}.`)
    }
    let deleted = 0
    const emptied = async (deleteSome: () => Promise<number>): Promise<number> => {
      const before = deleted
      for (let some = 1; some > 0; progress({ rows: (deleted += some), share: null })) {
        signal.throwIfAborted()
        some = await deleteSome()
      }
      return deleted - before
    }
    const sessions = await emptied(deletePastSessions)
    const attempts = await emptied(deletePastAttempts)
    say(`Deleted ${inWords(sessions, attempts)}.`)
  },
})

const inWords = (sessions: number, attempts: number) =>
  `${sessions} ${sessions === 1 ? 'session' : 'sessions'} and ${attempts} ${attempts === 1 ? 'count' : 'counts'} of attempts`
