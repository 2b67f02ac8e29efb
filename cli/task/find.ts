import type { AnyTask } from '#framework/tasks'
import { Exit, EXIT } from '../exit.ts'
import { tasks } from '#app/tasks/tasks.ts'

/** The task of this name. Ends the command with a suggestion when there is none. */
export function findTask(name: string): AnyTask {
  const found = tasks.find((task) => task.name === name)
  if (found !== undefined) return found
  const names = tasks.map((task) => task.name)
  const [close] = names
    .filter((known) => distance(name, known) <= Math.max(2, known.length / 3))
    .toSorted((one, other) => distance(name, one) - distance(name, other))
  throw new Exit(
    EXIT.usage,
    `There is no task ${name}. ` +
      (close === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${close}?`),
  )
}

/** How many letters have to be changed, added or left out. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [down, letter] of Array.from(one).entries()) {
    const next = [down + 1]
    for (const [across, wanted] of Array.from(other).entries()) {
      const changed = (row[across] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(changed, (row[across + 1] ?? 0) + 1, (next[across] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
