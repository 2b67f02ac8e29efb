import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

const FLAGS = ['--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']

const ignore = (): void => {}

/**
 * Updates the lockfile and node_modules with `npm install`. Returns false if it fails. Removes node_modules from PATH, so
 * that npm does not run on the Node that is installed there: npm may replace it.
 */
export function npmInstall(root: string, flags: readonly string[]): boolean {
  const own = join(root, 'node_modules')
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(own))
  // Ctrl-C ends only npm. The command then reports the failure, or rolls its changes back.
  process.on('SIGINT', ignore)
  try {
    const { status } = spawnSync('npm', ['install', ...FLAGS, ...flags], {
      cwd: root,
      // Only messages: the results of a command go to stdout.
      stdio: ['inherit', 2, 2],
      shell: process.platform === 'win32',
      env: { ...process.env, PATH: path.join(delimiter) },
    })
    // Version 10 of npm removes the link of the clone's Node.
    if (status === 0)
      spawnSync(process.execPath, [join(root, 'cli/install.js')], { stdio: ['inherit', 2, 2] })
    return status === 0
  } finally {
    process.off('SIGINT', ignore)
  }
}

/** Returns the flags for a lockfile: if it contains no URL of a registry, npm must not add one. */
export const flagsFor = (lockfile: string): readonly string[] =>
  /"resolved":\s*"https?:/.test(lockfile) ? [] : ['--omit-lockfile-registry-resolved']
