import { sql } from 'kysely'
import { inTransaction } from 'pergola'
import { countOldChanges, deleteOldChanges } from 'pergola/features'
import { task } from 'pergola/tasks'
import { readConfig } from '#app/config.ts'
import { securityEvents } from '../security-event.repository.ts'

/** Rows per DELETE statement, so that its locks are short. */
const BATCH_SIZE = 5_000

export const pruneEvents = task('prune-events', {
  description: 'Deletes security events and recorded changes that are older than audit.keep_days.',
  dryRun: true,
  schedule: '45 3 * * *',
  async run({ dryRun, signal, progress, say }) {
    const days = readConfig().audit.keep_days
    const where = () => sql<boolean>`created_at < now() - make_interval(days => ${days})`
    const old = securityEvents.asSystem('prune-events')
    if (dryRun)
      return say(`Would delete ${describe(await old.count({ where }), await countOldChanges(days), days)}`)
    let deletedEvents = 0
    for await (const range of old.inBatches(BATCH_SIZE, { where, signal })) {
      deletedEvents += await inTransaction(() => range.delete())
      progress({ rows: deletedEvents, share: null })
    }
    let deletedChanges = 0
    for (let count = 1; count > 0; deletedChanges += count) {
      signal.throwIfAborted()
      count = await deleteOldChanges(days)
      progress({ rows: deletedEvents + deletedChanges + count, share: null })
    }
    say(`Deleted ${describe(deletedEvents, deletedChanges, days)}`)
  },
})

const describe = (eventCount: number, changeCount: number, days: number) =>
  `${eventCount} ${eventCount === 1 ? 'event' : 'events'} and ${changeCount} recorded ${changeCount === 1 ? 'change' : 'changes'} older than ${days} days.`
