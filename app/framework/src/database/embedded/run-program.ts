import { spawnSync } from 'node:child_process'

export interface User {
  uid: number
  gid: number
}

/**
 * Runs a program to its end, as `user` if one is given. It has a process group of its own, or Ctrl-C in the
 * terminal would reach it too and leave its work half done before we hear of it.
 */
export function run(program: string, flags: string[], user?: User, stdio: 'pipe' | 'ignore' = 'pipe') {
  const detached = process.platform !== 'win32'
  const options = { uid: user?.uid, gid: user?.gid, cwd: '/', encoding: 'utf8', stdio, detached } as const
  return spawnSync(program, flags, options)
}
