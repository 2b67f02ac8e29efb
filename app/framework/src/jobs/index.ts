/** Jobs: work that code puts off, and that `cli worker` does. Imported as `pergola/jobs`. */

// The declaration of a job
export { type AnyJob, job, type Job, type JobRun } from './job.ts'
export { Unrecoverable } from './unrecoverable.ts'
export type { Duration } from '../resource/duration.ts'

// Storing jobs
export { enqueue, type EnqueueOptions } from './enqueue.ts'
export { loadQueues } from './queues.ts'

// Running jobs
export { createQueues, missingQueues, prepareJobs } from './prepare-jobs.ts'
export { openBoss } from './open-boss.ts'
export { type JobLog, type JobWorker } from './attempt.ts'
export { type JobLoops, workJobs } from './work-jobs.ts'
export { handleStrayErrors } from './stray-errors.ts'

// Jobs that wait, and dead letters
export { countJobs, failedJobs, type JobCounts, type ListedJob, waitingJobs } from './list-jobs.ts'
export { discardJobs, type JobChoice, retryJobs } from './dead-letters.ts'
export { jobRoutes } from './job-routes.ts'
