/** What a task declares itself with: light, so that the help of all of them is quick. */
export { type Flag, flagsOf, problemsOf, typedValue } from './flags.ts'
export { type AnyTask, pathArgument, task, type TaskRun } from './task.ts'
