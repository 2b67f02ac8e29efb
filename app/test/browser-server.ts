import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createDatabase, databaseUrl, testServer } from 'pergola/testing'

/** Runs the real server for browser tests on its own seeded database, which is dropped afterwards. */
const { adminUrl, prefix, close } = await testServer()
const name = `${prefix}browser`
await createDatabase(adminUrl, name)

const server = spawn(process.execPath, ['app/server.ts'], {
  stdio: 'inherit',
  env: { ...process.env, NODE_ENV: 'test', DATABASE_URL: databaseUrl(adminUrl, name) },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill('SIGTERM'))
const [code] = (await once(server, 'exit')) as [number | null]
await close()
process.exit(code ?? 1)
