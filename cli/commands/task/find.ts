import { allTasks } from '#app/tasks/all-tasks.ts'
import type { AnyTask } from 'pergola/tasks'
import { Exit, EXIT } from '../../exit.ts'
import { choices, nearest } from '../../nearest.ts'

/** Returns the task with this name. Throws with a suggestion if none exists. */
export function findTask(name: string): AnyTask {
  const task = allTasks.find((task) => task.name === name)
  if (task !== undefined) return task
  const names = allTasks.map((task) => task.name)
  throw new Exit(EXIT.usage, `Unknown task: ${name}. ${choices(names, nearest(name, names))}`)
}
