import { jobs } from '#app/jobs/jobs.ts'
import { countJobs, failedJobs, type JobCounts, type ListedJob, waitingJobs } from 'pergola/jobs'
import { findByName } from '../../nearest.ts'
import { printResult } from '../../print-result.ts'
import { alignedText } from '../routes/table.ts'
import type { ShardOption } from '../../shards.ts'
import { inTables } from '../task/in-tables.ts'

interface ListOptions extends ShardOption {
  json?: boolean
}

/** The most jobs that a list shows. */
const LIMIT = 50

/** Runs `cli jobs`: the numbers of all jobs that are declared or stored. */
export async function countCommand({ json, ...option }: ListOptions): Promise<void> {
  const stored = await inTables(option, () => countJobs())
  const unused = jobs.filter(({ name }) => !stored.some((counts) => counts.name === name))
  const counts = [...stored, ...unused.map(({ name }) => ({ ...NONE, name }))].toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
  printResult(json, counts, countsText(counts))
}

const NONE = { waiting: 0, delayed: 0, running: 0, failed: 0 }

function countsText(counts: readonly JobCounts[]): string {
  if (counts.length === 0) return 'There are no jobs. Create one: npx cli generate job send-welcome'
  const rows = counts.map(({ name, waiting, delayed, running, failed }) => [
    name,
    ...[waiting, delayed, running, failed].map(String),
  ])
  return alignedText([['JOB', 'WAITING', 'DELAYED', 'RUNNING', 'FAILED'], ...rows])
}

/** Runs `cli jobs failed [name]`. */
export async function failedCommand(
  name: string | undefined,
  { json, ...option }: ListOptions,
): Promise<void> {
  const listed = await inTables(option, () => failedJobs({ name: nameOf(name), limit: LIMIT }))
  printResult(json, listed, listText(listed, { at: 'FAILED', none: 'No job has failed.' }))
}

/** Runs `cli jobs waiting [name]`. */
export async function waitingCommand(
  name: string | undefined,
  { json, ...option }: ListOptions,
): Promise<void> {
  const listed = await inTables(option, () => waitingJobs({ name: nameOf(name), limit: LIMIT }))
  printResult(json, listed, listText(listed, { at: 'DUE', none: 'No job waits.' }))
}

const nameOf = (name: string | undefined) =>
  name === undefined ? undefined : findByName('job', name, jobs).name

function listText(listed: readonly ListedJob[], { at, none }: { at: string; none: string }): string {
  if (listed.length === 0) return none
  const rows = listed.map((job) => [
    job.id,
    job.name,
    job.at.slice(0, 19).replace('T', ' '),
    String(job.attempts),
    JSON.stringify(job.args),
    job.error?.split('\n')[0] ?? '',
  ])
  const table = alignedText([['ID', 'JOB', at, 'ATTEMPTS', 'ARGUMENTS', ''], ...rows])
  return listed.length < LIMIT ? table : `${table}\nThis list ends after ${LIMIT} jobs.`
}
