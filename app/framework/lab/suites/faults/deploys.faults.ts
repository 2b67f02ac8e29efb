import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { freePort, restartableServer } from 'pergola/lab'
import { TestClient } from 'pergola/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { productionFolder } from '../production-folder.ts'
import { faultBed } from './fault-bed.ts'
import { DEMO_PASSWORD } from '../application.ts'

const { email, settings, sql } = await faultBed()

describe('a server whose folder is deleted after its start', { timeout: 600_000 }, () => {
  it('serves pages, sign-in, assets and error pages', async () => {
    const folder = productionFolder()
    const server = await restartableServer([join(folder, 'app/start.js')], settings)
    const client = new TestClient(server.url)
    await expect.poll(async () => (await client.get('/readyz')).status).toBe(200)
    for (const name of ['app', 'node_modules', 'public', 'views'])
      rmSync(join(folder, name), { recursive: true })
    const page = await client.get('/login')
    const assets = [...page.text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(assets).toContainEqual(expect.stringContaining('/htmx.js'))
    for (const path of [...assets, '/robots.txt'])
      for (const coding of ['identity', 'gzip', 'br']) {
        const { status } = await client.get(path, { headers: { 'Accept-Encoding': coding } })
        expect([path, status]).toEqual([path, 200])
      }
    const statusOf = async (answer: ReturnType<TestClient['get']>) => (await answer).status
    expect(await statusOf(client.post('/signup', { form: { email: 'new@example.test' } }))).toBe(303)
    expect(await statusOf(client.post('/login', { form: { email, password: DEMO_PASSWORD } }))).toBe(303)
    expect(await statusOf(client.get('/account'))).toBe(200)
    const password = { current_password: DEMO_PASSWORD, password: 'passwordpassword' }
    expect(await statusOf(client.put('/account/password', { form: password }))).toBe(422)
    await sql('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')
    await expect.poll(() => statusOf(client.get('/account'))).toBe(200)
    await sql('alter table sessions rename to sessions_gone')
    expect(await errorPageOf(client, '/account')).toBe(503)
    await sql('alter table sessions_gone rename to sessions')
    // Denied, because the user is not an admin.
    expect(await errorPageOf(client, '/users')).toBe(403)
    expect(await errorPageOf(client, '/missing')).toBe(404)
  })
})

/** Returns the status of a page with the layout of the application. */
async function errorPageOf(client: TestClient, path: string): Promise<number> {
  const { status, text } = await client.get(path)
  expect(text).toContain('<nav')
  return status
}

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on, and ends after the server', async (signal) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const npm = spawn('npm', ['start'], {
      env: {
        ...process.env,
        // npm starts the first `node` of the path.
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        ...settings,
        NODE_ENV: 'production',
        BASE_URL: url,
        HOST: '127.0.0.1',
        PORT: String(port),
        SERVER__LINGER_SECONDS: '0',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
      // A process group of its own, with which the test ends the server if npm doesn't.
      detached: true,
    })
    onTestFinished(() => {
      if (npm.pid !== undefined) endGroup(npm.pid)
    })
    const isListening = () =>
      fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isListening).toBe(true)
    const exit = once(npm, 'exit')
    npm.kill(signal)
    expect(await exit).toEqual([0, null])
    expect(await isListening()).toBe(false)
  })
})

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of its processes have ended.
  }
}
