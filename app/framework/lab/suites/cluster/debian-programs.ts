import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from 'pergola/lab'
import { afterAll } from 'vitest'

/** The programs of Debian's package postgresql-15, which production may run. */
export const POSTGRES_15 = '/usr/lib/postgresql/15/bin'

interface Pooler {
  /** The URL of the database. */
  readonly url: string
  /** Connects to another server from now on, as an operator does after a failover: new configuration, and RELOAD. */
  readonly pointTo: (url: string) => void
}

/** Starts PgBouncer in transaction mode in front of a server. */
export async function pgbouncer(url: string, poolSize = 20): Promise<Pooler> {
  const port = await freePort()
  const lines = (target: string) => {
    const { hostname, port: to, username, password, pathname } = new URL(target)
    return [
      '[databases]',
      // By name: PgBouncer keeps what it read for `*` until that database is unused.
      `${pathname.slice(1)} = host=${hostname} port=${to} user=${username} password=${decodeURIComponent(password)}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      'max_client_conn = 1000',
      // By default, it waits 15 seconds after a failed connection, also to a server that it was just pointed to.
      'server_login_retry = 1',
    ]
  }
  const reload = await startProgram('pgbouncer', {
    port,
    lines: lines(url),
    flags: (file) => (process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file]),
  })
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    pointTo: (target) => reload(lines(target)),
  }
}

interface Balanced {
  readonly servers: readonly { url: string }[]
  readonly port: number
  /** The host that the servers receive, in place of the client's. */
  readonly host?: string
}

/** Starts haproxy in front of servers. It retries nothing, and asks each server for `/readyz` five times a second. */
export async function haproxy({ servers, port, host }: Balanced): Promise<void> {
  const lines = [
    'defaults',
    '  mode http',
    '  retries 0',
    '  timeout connect 2s',
    '  timeout client 60s',
    '  timeout server 60s',
    'listen app',
    `  bind 127.0.0.1:${port}`,
    ...(host === undefined ? [] : [`  http-request set-header Host ${host}`]),
    '  balance roundrobin',
    '  option httpchk GET /readyz',
    '  default-server inter 200ms fall 2 rise 1',
    ...servers.map(({ url }, index) => `  server app${index} ${new URL(url).host} check`),
  ]
  await startProgram('haproxy', { port, lines, flags: (file) => ['-db', '-f', file] })
}

interface Program {
  readonly port: number
  readonly lines: readonly string[]
  readonly flags: (file: string) => string[]
}

/**
 * Starts a program with its configuration in a temporary folder, and waits until it listens. Ends it with the file. Returns
 * a function that replaces the configuration.
 */
async function startProgram(
  name: string,
  { port, lines, flags }: Program,
): Promise<(lines: readonly string[]) => void> {
  const program = join('/usr/sbin', name)
  if (!existsSync(program)) throw new Error(`${program} is missing. Install it: apt-get install ${name}`)
  const folder = mkdtempSync(join(tmpdir(), `pergola-${name}-`))
  // A program that changed its user reads the configuration again.
  chmodSync(folder, 0o755)
  const file = join(folder, 'configuration')
  const write = (text: readonly string[]) => writeFileSync(file, `${text.join('\n')}\n`)
  write(lines)
  let output = ''
  const child = spawn(program, flags(file), { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-10_000)))
  afterAll(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${name} ended:\n${output}`)
    await sleep(20)
  }
  return (changed) => {
    write(changed)
    child.kill('SIGHUP')
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
