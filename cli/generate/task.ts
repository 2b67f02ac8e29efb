import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { formatted } from '../scaffold/code/render-template.ts'
import { variableFor } from '../scaffold/read/code-names.ts'
import { withTask } from './list-of-tasks.ts'
import { snakeName } from './name.ts'
import { writeNew } from './write-new.ts'

const LIST = 'app/tasks/tasks.ts'

export async function generateTask(given: string): Promise<void> {
  const name = snakeName(given).replaceAll('_', '-')
  const variable = variableOf(name)
  const list = withTask(readFileSync(LIST, 'utf8'), { variable, file: `./${name}.ts` })
  const path = `app/tasks/${name}.ts`
  writeNew(path, skeleton(name, variable))
  if (list === null)
    return console.error(`${LIST} has a form that I don't know: add ${variable} of ./${name}.ts to it.`)
  try {
    writeFileSync(LIST, (await formatted({ path: LIST, text: list })).text)
  } catch (error) {
    rmSync(path)
    throw error
  }
  console.log(`change  ${LIST}`)
  console.error(`Write it, then: npx cli task ${name} --dry-run`)
}

function variableOf(name: string): string {
  const camel = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return ['task', 'tasks', 'z'].includes(camel) ? `${camel}Task` : variableFor(camel, 'Task')
}

const skeleton = (name: string, variable: string) => `import { z } from 'zod'
import { task } from 'pergola/tasks'

export const ${variable} = task('${name}', {
  description: 'Still to be written: says what it was given.',
  args: z.object({
    since: z.iso.date().optional().describe('only what changed since this day'),
  }),
  dryRun: true,
  // What it works with is best imported here: the list of tasks is then read without it.
  async run({ args, dryRun, say }) {
    say(\`\${dryRun ? 'Would do' : 'Did'} nothing yet, since \${args.since ?? 'ever'}.\`)
  },
})
`
