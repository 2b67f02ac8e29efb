import { createListed } from './list-file.ts'

/** Creates a job with a test, and adds it to the list of jobs. */
export const generateJob = (input: string): Promise<void> =>
  createListed('job', input, (name, variable) => ({
    files: [
      [`app/jobs/${name}.ts`, skeleton(name, variable)],
      [`app/jobs/${name}.test.ts`, testOf(name, variable)],
    ],
    next: `Write the job, then call: await enqueue(${variable}, { id })`,
  }))

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
