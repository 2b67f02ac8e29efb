import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import type { Home } from './home.ts'
import { run } from './run-program.ts'

/** A home with a database in it. */
export interface Cluster extends Home {
  /** Its last part is like no other's, so that the server's process is known by its command line. */
  data: string
}

export const pidFile = ({ data }: Cluster) => join(data, 'postmaster.pid')

/** Returns the content of the pid file, whether or not its server is running; zeros without a file. */
export function lastServer(cluster: Cluster): { pid: number; port: number } {
  const lines = textOf(pidFile(cluster)).split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0) }
}

/** Gives the connection strings of the server that runs now. */
export function urls(cluster: Cluster): (database: string) => string {
  // A lost password becomes a wrong one, which the server refuses.
  const password = encodeURIComponent(textOf(join(cluster.directory, 'password')) || 'lost')
  const server = `postgres://postgres:${password}@127.0.0.1:${lastServer(cluster).port}`
  // PGSSLMODE of the user's shell is meant for other servers.
  return (database) => `${server}/${encodeURIComponent(database)}?sslmode=disable`
}

/**
 * Logs in and returns the error, or null. Only a login proves that the server runs: a pid can belong to a zombie or
 * be reused, and another server may answer at the port.
 */
export async function login(cluster: Cluster): Promise<NodeJS.ErrnoException | undefined> {
  if (!lastServer(cluster).port) return Object.assign(new Error('no server'), { code: 'ECONNREFUSED' })
  const client = new Client({ connectionString: urls(cluster)('postgres'), connectionTimeoutMillis: 5_000 })
  // A server that shuts down emits an event, which would end the process without a listener.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return undefined
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** Returns whether that process is the cluster's running server; `guess` decides if command lines are unknown. */
export function isServer(pid: number, { data }: Cluster, guess: boolean): boolean {
  return pid > 0 && (commandLine(pid)?.includes(basename(data)) ?? guess)
}

// Empty for a process that has ended or is a zombie; undefined without /proc and ps.
function commandLine(pid: number): string | undefined {
  if (process.platform === 'linux') return textOf(`/proc/${pid}/cmdline`)
  const ps = run('ps', ['-ww', '-o', 'args=', '-p', String(pid)])
  return ps.error ? undefined : ps.stdout
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
