import { findTask } from './find.ts'
import { type Given, parseFlags } from './command-of.ts'
import type { AnyTask } from '#framework/tasks'

/** `cli task <name> …` */
export async function runCommand(name: string, words: readonly string[], folder: string): Promise<void> {
  const task = findTask(name)
  const given: Given = parseFlags(task, words, folder)
  await start(task, given)
}

// Only now: until the flags are known to be right, neither the application nor the database is needed.
async function start(task: AnyTask, given: Given): Promise<void> {
  const { runInTerminal } = await import('./run-in-terminal.ts')
  await runInTerminal(task, given)
}
