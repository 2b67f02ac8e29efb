import { z } from 'zod'
import { pathArgument, task } from 'pergola/tasks'

export const importPosts = task('import-posts', {
  description:
    'Stores the posts of a CSV file with the columns title, body, published and author (an email).',
  args: z.object({ file: pathArgument().describe('the file, of any size') }),
  dryRun: true,
  async run(run) {
    const { importFile } = await import('./import-posts/import-file.ts')
    await importFile(run.args.file, run)
  },
})
