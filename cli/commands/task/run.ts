import { allTasks } from '#app/tasks/all-tasks.ts'
import { parseFlags } from './parse-flags.ts'
import type { ShardOption } from '../../shards.ts'
import { findByName } from '../../nearest.ts'

/** Runs `cli task <name>` with its flags. */
export async function runCommand(
  name: string,
  words: readonly string[],
  options: ShardOption,
): Promise<void> {
  const task = findByName('task', name, allTasks)
  const { shard = options.shard, ...flags } = parseFlags(task, words)
  // Imported here, so that invalid flags are reported without loading the application.
  const { runInTerminal } = await import('./run-in-terminal.ts')
  await runInTerminal(task, flags, shard === undefined ? {} : { shard })
}
