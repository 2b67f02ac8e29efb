import { createListed } from './list-file.ts'

export const generateTask = (input: string): Promise<void> =>
  createListed('task', input, (name, variable) => ({
    files: [[`app/tasks/${name}.ts`, skeleton(name, variable)]],
    next: `Write the task, then run: npx cli task ${name} --dry-run`,
  }))

const skeleton = (name: string, variable: string) => `import { z } from 'zod'
import { task } from 'pergola/tasks'

export const ${variable} = task('${name}', {
  description: 'Not written yet: prints its arguments.',
  args: z.object({
    since: z.iso.date().optional().describe('only changes since this day'),
  }),
  dryRun: true,
  async run({ args, dryRun, say }) {
    say(\`\${dryRun ? 'Would do' : 'Did'} nothing yet, since \${args.since ?? 'ever'}.\`)
  },
})
`
