import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anyFreePort } from '../port.ts'
import { cloneOf, environment, runIn } from '../test-support/run-in.ts'

const TICKETS = [
  'ticket',
  'title:string',
  'body:text',
  'state:enum:open,pending,closed=open',
  'due:date:null',
  'owner:references:user',
]

/** Runs a clone of the last commit with a scaffolded resource, in development, with a database of its own. */
export async function exampleApplication(root: string, clone: string) {
  await cloneOf(root, clone)
  const cli = (...args: string[]) => runIn(clone, { program: 'cli/bin.js', args })
  await cli('db', 'prepare')
  if (!existsSync(join(clone, 'app/tickets'))) await cli('scaffold', ...TICKETS)
  const port = await anyFreePort()
  const server = spawn(process.execPath, ['app/server.ts'], {
    cwd: clone,
    env: { ...environment(), NODE_ENV: 'development', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(server, url))) await sleep(100)
  return {
    url,
    async stop() {
      server.kill('SIGTERM')
      if (server.exitCode === null) await once(server, 'exit')
    },
  }
}

async function isReady(server: ChildProcess, url: string): Promise<boolean> {
  if (server.exitCode !== null)
    throw new Error('The server of the screenshots ended. Its messages are above.')
  const answer = await fetch(`${url}/readyz`).catch(() => null)
  return answer?.status === 200
}
