import { sql } from 'kysely'
import { inTransaction } from 'pergola'
import { task } from 'pergola/tasks'
import { readConfig } from '#app/config.ts'
import { events } from '../event.repository.ts'

/** Rows per DELETE statement, so that its locks are short. */
const BATCH_SIZE = 5_000

export const pruneEvents = task('prune-events', {
  description: 'Deletes security events that are older than audit.keep_days.',
  dryRun: true,
  schedule: '45 3 * * *',
  async run({ dryRun, signal, progress, say }) {
    const days = readConfig().audit.keep_days
    const where = () => sql<boolean>`created_at < now() - make_interval(days => ${days})`
    const old = events.asSystem('prune-events')
    let deleted = dryRun ? await old.count({ where }) : 0
    if (!dryRun) {
      for await (const range of old.inBatches(BATCH_SIZE, { where, signal })) {
        deleted += await inTransaction(() => range.delete())
        progress({ rows: deleted, share: null })
      }
    }
    const verb = dryRun ? 'Would delete' : 'Deleted'
    say(`${verb} ${deleted} ${deleted === 1 ? 'event' : 'events'} older than ${days} days.`)
  },
})
