import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from 'pergola/testing'
import { afterAll } from 'vitest'

/** Starts PgBouncer in transaction mode in front of a server. Returns the URL of its database. */
export async function pgbouncer(url: string, poolSize = 20): Promise<string> {
  const { hostname, port, username, password } = new URL(url)
  const login = `user=${username} password=${decodeURIComponent(password)}`
  const own = await startProgram(
    'pgbouncer',
    (listenPort) => [
      [
        'pgbouncer.ini',
        [
          '[databases]',
          `* = host=${hostname} port=${port} ${login}`,
          '[pgbouncer]',
          'listen_addr = 127.0.0.1',
          `listen_port = ${listenPort}`,
          'unix_socket_dir =',
          'auth_type = any',
          'pool_mode = transaction',
          `default_pool_size = ${poolSize}`,
          'max_client_conn = 1000',
        ],
      ],
    ],
    (file) => (process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file]),
  )
  return Object.assign(new URL(url), { port: String(own) }).href
}

/** Starts haproxy in front of servers. It retries nothing, and asks each server for `/readyz` five times a second. */
export async function haproxy(servers: readonly { url: string }[], port: number): Promise<void> {
  const lines = servers.map(({ url }, index) => `  server app${index} ${new URL(url).host} check`)
  await startProgram(
    'haproxy',
    () => [
      [
        'haproxy.cfg',
        [
          'defaults',
          '  mode http',
          '  retries 0',
          '  timeout connect 2s',
          '  timeout client 60s',
          '  timeout server 60s',
          'listen app',
          `  bind 127.0.0.1:${port}`,
          '  balance roundrobin',
          '  option httpchk GET /readyz',
          '  default-server inter 200ms fall 2 rise 1',
          ...lines,
        ],
      ],
    ],
    (file) => ['-db', '-f', file],
    port,
  )
}

type Files = [name: string, lines: readonly string[]][]

/** Starts a program with its configuration in a temporary folder, and waits until it listens. Ends it with the file. */
async function startProgram(
  name: string,
  filesFor: (port: number) => Files,
  flags: (file: string) => string[],
  given?: number,
): Promise<number> {
  const program = join('/usr/sbin', name)
  if (!existsSync(program)) throw new Error(`${program} is missing. Install it: apt-get install ${name}`)
  const port = given ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), `pergola-${name}-`))
  const [[file, lines]] = filesFor(port) as [Files[number]]
  writeFileSync(join(folder, file), `${lines.join('\n')}\n`)
  let output = ''
  const child = spawn(program, flags(join(folder, file)), { stdio: ['ignore', 'pipe', 'pipe'] })
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
  return port
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
