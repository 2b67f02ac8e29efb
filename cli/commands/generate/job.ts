import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { formatted } from '../../scaffold/code/render-template.ts'
import { variableFor } from '../../scaffold/read/code-names.ts'
import { createFile } from './create-file.ts'
import { snakeName } from './name.ts'
import { addJob } from './task-list.ts'

const LIST = 'app/jobs/jobs.ts'

/** Creates a job with a test, and adds it to the list of jobs. */
export async function generateJob(input: string): Promise<void> {
  const name = snakeName(input).replaceAll('_', '-')
  const variable = variableOf(name)
  const list = addJob(readFileSync(LIST, 'utf8'), { variable, file: `./${name}.ts` })
  const files = [`app/jobs/${name}.ts`, `app/jobs/${name}.test.ts`] as const
  createFile(files[0], skeleton(name, variable))
  try {
    createFile(files[1], testOf(name, variable))
  } catch (error) {
    rmSync(files[0])
    throw error
  }
  if (list === null) return console.error(`Could not edit ${LIST}. Add ${variable} from ./${name}.ts to it.`)
  try {
    writeFileSync(LIST, (await formatted({ path: LIST, text: list })).text)
  } catch (error) {
    files.forEach((file) => rmSync(file))
    throw error
  }
  console.log(`change  ${LIST}`)
  console.error(`Write the job, then call: await enqueue(${variable}, { id })`)
}

function variableOf(name: string): string {
  const camel = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return ['job', 'jobs', 'z'].includes(camel) ? `${camel}Job` : variableFor(camel, 'Job')
}

const skeleton = (name: string, variable: string) => `import { z } from 'zod'
import { job } from 'pergola/jobs'

// Runs at least once: an attempt that fails, or whose worker dies, is repeated. So check first what is done already.
export const ${variable} = job('${name}', {
  args: z.object({ id: z.int() }),
  async run({ args, say }) {
    say(\`Not written yet: \${args.id}.\`)
  },
})
`

const testOf = (name: string, variable: string) => `import { describe, expect, it } from 'vitest'
import { enqueue } from 'pergola/jobs'
import { testApp } from '#app/test/test-app.ts'
import { ${variable} } from './${name}.ts'

const app = await testApp()

describe('${name}', () => {
  it('runs after it was enqueued', async () => {
    await app.within(() => enqueue(${variable}, { id: 1 }))
    expect(await app.jobs()).toMatchObject([{ name: '${name}', args: { id: 1 } }])
    await app.runJobs()
    expect(await app.jobs()).toEqual([])
  })
})
`
