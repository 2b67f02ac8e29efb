import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { ask } from '../ask.ts'
import type { Outcome } from './merge.ts'

/**
 * Returns the names of the new migrations. Omits moved files: the database stores that a migration of this name has
 * run.
 */
export const newMigrations = (outcomes: readonly Outcome[]): string[] =>
  outcomes
    .filter(({ path, verb, movedFrom }) => verb === 'add' && movedFrom === undefined && isMigration(path))
    .map(({ path }) => basename(path, '.ts'))

const isMigration = (path: string): boolean => /^app\/(?:db|framework)\/migrations\/\d+_\w+\.ts$/.test(path)

/**
 * Runs the new migrations with the command line of the new version. Asks for a confirmation first, unless `yes` is
 * true. Does nothing if `migrate` is false, or if a confirmation is required and stdin is not a terminal.
 */
export async function offerMigrations(
  root: string,
  migrations: readonly string[],
  { yes = false, migrate = true }: { yes?: boolean; migrate?: boolean },
): Promise<void> {
  if (!migrate || !(yes || process.stdin.isTTY)) return
  const question = `Run the new migrations now (${migrations.join(', ')})? [y/N] `
  if (!yes && !/^y(?:es)?$/i.test((await ask(question, '')).trim())) return
  const words = [join(root, 'cli/bin.js'), 'db', 'migrate']
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exitCode = status ?? 1
}
