import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { formatted } from '../../scaffold/code/render-template.ts'
import { variableFor } from '../../scaffold/read/code-names.ts'
import { addTask } from './task-list.ts'
import { snakeName } from './name.ts'
import { createFile } from './create-file.ts'

const LIST = 'app/tasks/tasks.ts'

export async function generateTask(input: string): Promise<void> {
  const name = snakeName(input).replaceAll('_', '-')
  const variable = variableOf(name)
  const list = addTask(readFileSync(LIST, 'utf8'), { variable, file: `./${name}.ts` })
  const path = `app/tasks/${name}.ts`
  createFile(path, skeleton(name, variable))
  if (list === null) return console.error(`Could not edit ${LIST}. Add ${variable} from ./${name}.ts to it.`)
  try {
    writeFileSync(LIST, (await formatted({ path: LIST, text: list })).text)
  } catch (error) {
    rmSync(path)
    throw error
  }
  console.log(`change  ${LIST}`)
  console.error(`Write the task, then run: npx cli task ${name} --dry-run`)
}

function variableOf(name: string): string {
  const camel = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return ['task', 'tasks', 'z'].includes(camel) ? `${camel}Task` : variableFor(camel, 'Task')
}

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
