import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import type { Home } from './home.ts'
import { run } from './run-program.ts'

/** The home of a cluster that has been created. */
export interface Cluster extends Home {
  /** The data directory. Its name is unique, so that the command line of a process identifies the server. */
  data: string
}

export const pidFile = ({ data }: Cluster) => join(data, 'postmaster.pid')

/** Returns the pid and the port of the pid file, even if that server has ended. Returns zeros without a file. */
export function lastServer(cluster: Cluster): { pid: number; port: number } {
  const lines = textOf(pidFile(cluster)).split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0) }
}

/** Returns a function that returns the connection string of a database on the running server. */
export function urls(cluster: Cluster): (database: string) => string {
  // Without a password file, this is a wrong password, which the server rejects.
  const password = encodeURIComponent(textOf(join(cluster.directory, 'password')) || 'lost')
  const server = `postgres://postgres:${password}@127.0.0.1:${lastServer(cluster).port}`
  // Overrides PGSSLMODE of the user's environment, which is meant for other servers.
  return (database) => `${server}/${encodeURIComponent(database)}?sslmode=disable`
}

/**
 * Logs in. Returns the error, or undefined. Only a login proves that the server is running: a pid can belong to a
 * zombie or be reused, and another server may use the port.
 */
export async function login(cluster: Cluster): Promise<NodeJS.ErrnoException | undefined> {
  if (!lastServer(cluster).port) return Object.assign(new Error('no server'), { code: 'ECONNREFUSED' })
  const client = new Client({ connectionString: urls(cluster)('postgres'), connectionTimeoutMillis: 5_000 })
  // When the server shuts down, the client emits `error`, which would end the process without a listener.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return undefined
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** Returns whether the process `pid` is the server of the cluster. Returns `guess` if its command line can't be read. */
export function isServer(pid: number, { data }: Cluster, guess: boolean): boolean {
  return pid > 0 && (commandLine(pid)?.includes(basename(data)) ?? guess)
}

// Returns an empty text for a process that has ended or is a zombie, and undefined on a system without /proc and ps.
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
