import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Home } from './home.ts'
import { run } from './run.ts'

export const pidFile = (home: Home) => join(home.cluster, 'data', 'postmaster.pid')

/** What the pid file says of the server that wrote it, be it alive or not; zeros where there is none. */
export function lastServer(home: Home): { pid: number; port: number } {
  const lines = textOf(pidFile(home)).split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0) }
}

/** Gives the connection strings of the server that runs now. */
export function urls(home: Home): (database: string) => string {
  // A lost password becomes a wrong one, which the server refuses.
  const password = encodeURIComponent(textOf(join(home.cluster, 'password')) || 'lost')
  const server = `postgres://postgres:${password}@127.0.0.1:${lastServer(home).port}`
  // PGSSLMODE in somebody's shell is meant for other servers.
  return (database) => `${server}/${encodeURIComponent(database)}?sslmode=disable`
}

/**
 * Logs in, and gives the refusal if there is one. Only a login proves a server: a pid can be a zombie's or used
 * again, and somebody else's server may answer at the port.
 */
export async function login(home: Home): Promise<NodeJS.ErrnoException | undefined> {
  if (!lastServer(home).port) return Object.assign(new Error('it does not start'), { code: 'ECONNREFUSED' })
  const client = new Client({ connectionString: urls(home)('postgres'), connectionTimeoutMillis: 5_000 })
  // A server that goes down says so in an event, and without a listener that would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return undefined
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** Whether that process is the home's live server; `guess` decides where the system tells no command lines. */
export function isServer(pid: number, { name }: Home, guess: boolean): boolean {
  return pid > 0 && (commandLine(pid)?.includes(`cluster_name=${name}`) ?? guess)
}

// Empty for a process that is gone or a zombie; undefined where there is neither /proc nor ps.
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
