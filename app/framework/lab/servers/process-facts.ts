import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Returns the ids of the child processes. */
export function childrenOf(pid: number): number[] {
  if (process.platform === 'linux') return numbers(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  return ps('-A', '-o', 'pid=,ppid=')
    .map(numbers)
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child)
}

/** Returns the resident memory of a process in megabytes. */
export function megabytesOf(pid: number): number {
  if (process.platform !== 'linux') return Math.round(Number(ps('-o', 'rss=', '-p', String(pid))[0]) / 1_024)
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1_024)
}

const numbers = (text: string) => text.trim().split(/\s+/).filter(Boolean).map(Number)

const ps = (...flags: string[]) => spawnSync('ps', flags, { encoding: 'utf8' }).stdout.trim().split('\n')
