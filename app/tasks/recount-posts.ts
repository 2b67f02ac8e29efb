import { z } from 'zod'
import { task } from 'pergola/tasks'

export const recountPosts = task('recount-posts', {
  description: 'Counts the posts of every user anew.',
  args: z.object({
    since: z.iso.date().optional().describe('only users who wrote something since this day'),
  }),
  dryRun: true,
  schedule: '0 3 * * *',
  async run({ args, dryRun, signal, position, checkpoint, progress, say }) {
    const { inTransaction } = await import('pergola')
    const { usersToCount, recounted, writeCounts } = await import('#app/posts/post-counts.ts')
    const walk = usersToCount(args.since, { signal, position })
    let changed = 0
    for await (const batch of walk) {
      const counts = await recounted(batch)
      changed += counts.length
      if (!dryRun) {
        await inTransaction(async () => {
          await writeCounts(counts)
          await checkpoint(walk.position)
        })
      }
      progress(await walk.progress())
    }
    say(
      `${dryRun ? 'Would correct' : 'Corrected'} the count of ${changed} ${changed === 1 ? 'user' : 'users'}.`,
    )
  },
})
