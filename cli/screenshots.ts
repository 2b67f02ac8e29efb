import { existsSync, mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isServing, startProcess } from './guide/terminal.ts'
import { anyFreePort } from './port.ts'
import { takeScreenshots } from './screenshots/take-screenshots.ts'
import { cloneOf, environment, runIn } from './test-support/run-in.ts'
import { root } from './test/tools.ts'

// `npm run pergola -- screenshots` takes the pictures of the documents, of the last commit. `-- --to <folder>` writes elsewhere.
const { values } = parseArgs({ options: { to: { type: 'string', default: join(root, 'e2e/screenshots') } } })
const folder = resolve(values.to)
mkdirSync(folder, { recursive: true })

const TICKETS =
  'ticket title:string body:text state:enum:open,pending,closed=open due:date:null owner:references:user'

using scratch = mkdtempDisposableSync(join(tmpdir(), 'pergola-screenshots-'))
const clone = join(scratch.path, 'clone')
await cloneOf(root, clone)
const cli = (...args: string[]) => runIn(clone, { program: 'cli/bin.js', args })
await cli('db', 'prepare')
if (!existsSync(join(clone, 'app/tickets'))) await cli('scaffold', ...TICKETS.split(' '))
const port = await anyFreePort()
const env = { ...environment(), NODE_ENV: 'development', PORT: String(port) }
const server = await startProcess('exec node app/server.ts', { cwd: clone, env }, () => isServing(port))
try {
  await takeScreenshots(`http://127.0.0.1:${port}`, folder)
} finally {
  await server.stop()
}
