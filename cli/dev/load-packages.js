// Loads the packages of the server. Runs the server when the message with its environment arrives.
import { join } from 'node:path'
import { speedUpImports } from 'pergola/start'

const root = join(import.meta.dirname, '../..')
const exit = () => process.exit()
process.once('disconnect', exit)
const environment = new Promise((resolve) => process.once('message', resolve))

const ENTRIES = ['app', 'accounts', 'database', 'dev', 'features', 'jobs', 'mail', 'scale', 'tasks', 'views']
speedUpImports(root)
// The server reports the error of a package when it starts.
await Promise.allSettled(
  ['pergola', 'pg-boss', ...ENTRIES.map((entry) => `pergola/${entry}`)].map((name) => import(name)),
)

const variables = await environment
for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
Object.assign(process.env, variables)
process.off('disconnect', exit)
await import('../../app/server.ts')
