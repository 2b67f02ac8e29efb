import { jobs } from '#app/jobs/jobs.ts'
import { Exit, EXIT } from '../../exit.ts'
import { choices, nearest } from '../../nearest.ts'

/** Returns the name if a job has it. Throws with a suggestion otherwise. */
export function findJob(name: string): string {
  const names = jobs.map((job) => job.name)
  if (names.includes(name)) return name
  throw new Exit(EXIT.usage, `Unknown job: ${name}. ${choices(names, nearest(name, names))}`)
}
