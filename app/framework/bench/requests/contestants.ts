import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from 'pergola/lab'
import { clone } from '../contestant/application.ts'
import { startOptions } from '../contestant/start-options.ts'

/** The command line of each contestant. All have the same routes. */
const COMMANDS = {
  'by hand': [join(import.meta.dirname, 'by-hand/server.js')],
  'by hand, revocable sessions': [join(import.meta.dirname, 'by-hand/server.js'), 'revocable'],
  Pergola: [...startOptions, join(import.meta.dirname, '../contestant/start.js')],
}

export type Name = keyof typeof COMMANDS
export const NAMES = Object.keys(COMMANDS) as Name[]

/** A server in a process of its own. */
export interface Contestant {
  readonly name: Name
  readonly url: string
  /** Milliseconds from the start of the process to its first answer, which is a page of posts. */
  readonly startTime: number
  /** Returns a figure of the process; `meter.js` explains each. */
  ask(question: 'cpu' | 'memory' | 'allocating' | 'allocated'): Promise<number>
  /** Ends the process with SIGTERM. */
  stop(): Promise<void>
}

/** Starts a contestant on a database. Rejects with its output if it ends, or if it doesn't answer. */
export async function startContestant(name: Name, database: string): Promise<Contestant> {
  const port = await freePort()
  const log = join(tmpdir(), `pergola-bench-${process.pid}-${NAMES.indexOf(name)}.log`)
  const output = openSync(log, 'w')
  const url = `http://127.0.0.1:${port}`
  const started = performance.now()
  const server = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'meter.js'), ...COMMANDS[name]],
    {
      cwd: clone,
      env: { ...databaseEnvironment(database), NODE_ENV: 'production', PORT: String(port) },
      stdio: ['ignore', output, output, 'ipc'],
    },
  )
  while (!(await answers(`${url}/api/posts?cursor=&size=20`))) {
    if (server.exitCode !== null) throw new Error(`${name} ended:\n${readFileSync(log, 'utf8')}`)
    if (performance.now() - started > PATIENCE) {
      server.kill('SIGKILL')
      throw new Error(`${name} does not answer:\n${readFileSync(log, 'utf8')}`)
    }
    await sleep(2)
  }
  const startTime = performance.now() - started
  return {
    name,
    url,
    startTime,
    ask: (question) => {
      const answer = answerOf(server)
      server.send(question)
      return answer
    },
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return
      const exit = once(server, 'exit')
      server.kill()
      await exit
      rmSync(log, { force: true })
    },
  }
}

const PATIENCE = 30_000

const answers = (url: string) =>
  new Promise<boolean>((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200))
    }).once('error', () => resolve(false))
  })

/** Resolves with the next figure of the server. The application sends messages of its own. */
async function answerOf(server: ChildProcess): Promise<number> {
  for (;;) {
    const [message] = (await once(server, 'message')) as [{ meter?: number }]
    if (message.meter !== undefined) return message.meter
  }
}

/** Returns the variables with which `pg` connects to this database, and the contestant's settings for it. */
export function databaseEnvironment(database: string): Record<string, string> {
  const url = new URL(database)
  return {
    PATH: process.env['PATH'] ?? '',
    PGHOST: url.hostname,
    PGPORT: url.port || '5432',
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: url.pathname.slice(1),
    PGSSLMODE: url.searchParams.get('sslmode') ?? 'disable',
    // Ends at once.
    SERVER__LINGER_SECONDS: '0',
  }
}
