import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'

export interface Starter {
  readonly started_by: string
  readonly host: string
  readonly pid: number
}

/** Returns this process as the starter of a run. `via` is the name of a user or `worker`: `starter('worker')`. */
export const starter = (via: string): Starter => ({ started_by: via, host: hostname(), pid: process.pid })

/** Returns the name of the system user of this process, or `user <uid>` if the system has no name for it. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/**
 * Returns an id of this boot of the machine and of the container: two processes with the same id see each other's
 * process ids. Returns null on a system without `/proc`. There, a dead holder is only detected when its lease expires.
 */
export function machineId(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

/** Returns whether a process with this id runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
