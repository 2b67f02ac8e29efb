import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { spawnServer } from '../lab/index.ts'
import { testDatabase } from '../testing/index.ts'

const database = await testDatabase()

// Preloaded into the server: writes Node's own modules that it loaded.
const REPORT = `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(process.env.REPORT, process.moduleLoadList.join('\\n')))`

it('a server does not load fetch, which no request needs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-loaded-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { server, url } = await spawnServer(join(import.meta.dirname, 'fixtures/server.ts'), {
    DATABASE_URL: database.url,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(REPORT)}`,
    REPORT: join(folder, 'loaded'),
  })
  for (const path of ['/notes', '/api/notes']) {
    const [response] = (await once(get(url + path), 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(200)
  }
  const exit = once(server, 'exit')
  server.kill('SIGINT')
  await exit
  const loaded = readFileSync(join(folder, 'loaded'), 'utf8').split('\n')
  expect(loaded).toContain('NativeModule http')
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([])
})
