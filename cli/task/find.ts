import { allTasks } from '#app/tasks/all-tasks.ts'
import type { AnyTask } from 'pergola/tasks'
import { Exit, EXIT } from '../exit.ts'
import { choices, nearest } from '../nearest.ts'

/** The task of this name. Ends the command with a suggestion when there is none. */
export function findTask(name: string): AnyTask {
  const found = allTasks.find((task) => task.name === name)
  if (found !== undefined) return found
  const names = allTasks.map((task) => task.name)
  throw new Exit(EXIT.usage, `There is no task ${name}. ${choices(names, nearest(name, names))}`)
}
