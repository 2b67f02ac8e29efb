import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'

export interface Starter {
  readonly started_by: string
  readonly host: string
  readonly pid: number
}

/** Who runs this process. `via` says what for: a worker, or somebody's command. */
export const starter = (via: string): Starter => ({ started_by: via, host: hostname(), pid: process.pid })

/** The user whom the system takes this process for; a container may know none. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/**
 * Within which process ids mean the same: this boot of this machine, and this container on it. Null where the system
 * doesn't say, and nobody's death is noticed before their lease runs out.
 */
export function machineId(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

/** Whether a process of this machine is there. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
