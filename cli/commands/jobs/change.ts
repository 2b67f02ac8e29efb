import { jobs } from '#app/jobs/jobs.ts'
import { discardJobs, type JobChoice, retryJobs } from 'pergola/jobs'
import { Exit, EXIT } from '../../exit.ts'
import { findByName } from '../../nearest.ts'
import type { ShardOption } from '../../shards.ts'
import { inTables } from '../task/in-tables.ts'

interface ChangeOptions extends ShardOption {
  all?: string
}

/** Runs `cli jobs retry <ids…>` and `cli jobs retry --all <name>`. */
export async function retryCommand(ids: readonly string[], options: ChangeOptions): Promise<void> {
  const choice = choiceOf(ids, options)
  const count = await inTables(options, () => retryJobs(choice))
  report(choice, count, `${counted(count)} will run now.`)
}

/** Runs `cli jobs discard <ids…>` and `cli jobs discard --all <name>`. */
export async function discardCommand(ids: readonly string[], options: ChangeOptions): Promise<void> {
  const choice = choiceOf(ids, options)
  const count = await inTables(options, () => discardJobs(choice))
  report(choice, count, `${counted(count)} discarded.`)
}

// Not only a declared job: jobs with a name that no longer exists can be discarded too.
function choiceOf(ids: readonly string[], { all }: ChangeOptions): JobChoice {
  if (all !== undefined && ids.length === 0) return { name: all }
  if (all === undefined && ids.length > 0) return { ids: [...new Set(ids.map((id) => id.toLowerCase()))] }
  throw new Exit(EXIT.usage, 'Pass the ids of jobs, or --all and the name of a job.')
}

/** Throws if one of the jobs was not found. */
function report({ ids, name }: JobChoice, count: number, text: string): void {
  if (count > 0) console.log(text)
  if (count === 0 && name !== undefined)
    console.log(`No job with the name ${findByName('job', name, jobs).name} has failed.`)
  const missing = (ids?.length ?? 0) - count
  if (missing > 0)
    throw new Exit(
      EXIT.failed,
      `${counted(missing)} not found: npx cli jobs failed, and npx cli jobs waiting, list the ids.`,
    )
}

const counted = (count: number) => `${count} ${count === 1 ? 'job' : 'jobs'}`
