import { tasksOfResources } from 'pergola/app'
import type { AnyTask } from 'pergola/tasks'
import { resources } from '#app/resources.ts'
import { tasks } from './tasks.ts'

/** Every task: the application's own and those of its resources, sorted by name. */
export const allTasks: readonly AnyTask[] = [...tasks, ...tasksOfResources(resources)].toSorted(
  (one, other) => (one.name < other.name ? -1 : 1),
)
