import { spawnSync } from 'node:child_process'

export interface User {
  uid: number
  gid: number
}

/**
 * Runs a program as `user`, or as the current user, and waits until it ends. The program gets its own process group,
 * because otherwise Ctrl-C in the terminal would also interrupt the program in the middle of its work.
 */
export function run(program: string, flags: string[], user?: User, stdio: 'pipe' | 'ignore' = 'pipe') {
  const detached = process.platform !== 'win32'
  const options = { uid: user?.uid, gid: user?.gid, cwd: '/', encoding: 'utf8', stdio, detached } as const
  return spawnSync(program, flags, options)
}
