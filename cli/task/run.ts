import { parseFlags } from './command-of.ts'
import { findTask } from './find.ts'

/** `cli task <name> …` */
export async function runCommand(name: string, words: readonly string[]): Promise<void> {
  const task = findTask(name)
  const given = parseFlags(task, words)
  // Only now: until the flags are known to be right, neither the application nor the database is needed.
  const { runInTerminal } = await import('./run-in-terminal.ts')
  await runInTerminal(task, given)
}
