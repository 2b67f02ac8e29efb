/** Tasks: their declaration, their input, their runs and the history. Imported as `pergola/tasks`. */

// The declaration of a task
export { type AnyTask, pathArgument, task, type TaskRun } from './task.ts'
export type { Progress } from '../lists/batches/progress.ts'

// CSV files
export { type CsvRecord, csvRecords } from '../features/csv/csv-records.ts'

// Arguments on a command line
export { type Flag, flagsOf, problemsOf, typedValue } from './flags.ts'

// Runs
export { type RunOptions, runTask, type TaskOutput } from './run-task.ts'
export type { EndedRun } from './run-records.ts'
export { isAlive, starter, userName } from './machine.ts'
export { EndUnrecorded, LeaseLost, NothingToResume, TaskLocked } from '../leases/task-errors.ts'
export { lastRuns, recentRuns, type RecordedRun } from './run-history.ts'
