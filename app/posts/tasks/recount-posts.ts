import { z } from 'zod'
import { inTransaction } from 'pergola'
import { task } from 'pergola/tasks'
import { correctCounts, usersToCount, writeCounts } from './posts-count.ts'

export const recountPosts = task('recount-posts', {
  description: 'Updates the number of published posts of every user.',
  args: z.object({
    since: z.iso.date().optional().describe('only users with a post since this day'),
  }),
  dryRun: true,
  schedule: '0 3 * * *',
  async run({ args, dryRun, signal, position, checkpoint, progress, say }) {
    const walk = usersToCount(args.since, { signal, position })
    let changed = 0
    for await (const batch of walk) {
      const counts = await correctCounts(batch)
      changed += counts.length
      if (!dryRun) {
        await inTransaction(async () => {
          await writeCounts(counts)
          await checkpoint(walk.position)
        })
      }
      progress(await walk.progress())
    }
    const verb = dryRun ? 'Would correct' : 'Corrected'
    say(`${verb} the count of ${changed} ${changed === 1 ? 'user' : 'users'}.`)
  },
})
