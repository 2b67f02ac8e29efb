import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { anyFreePort } from '../port.ts'
import { supervise, worthRetrying } from './supervisor.ts'

const serving = (text: string, more = '') => `
  const server = require('node:http').createServer((req, res) => res.end('${text} ' + process.pid))
  server.listen(process.env.PORT, '127.0.0.1')
  ${more}`

describe('supervise', () => {
  it('starts the server anew after a change', async () => {
    const { edit, get } = await supervised(serving('one'))
    await expect.poll(get).toMatch(/^200 one/)
    edit(serving('two'))
    await expect.poll(get).toMatch(/^200 two/)
  })

  it('never runs two servers, however quickly the changes come', async () => {
    // A second one would fail to listen, and the crash page be shown.
    const { edit, get, says } = await supervised(
      serving('one', "process.on('SIGTERM', () => setTimeout(process.exit, 200))"),
    )
    await expect.poll(get).toMatch(/^200 one/)
    for (const text of ['two', 'three', 'four', 'five']) {
      edit(serving(text))
      await new Promise((resolve) => setTimeout(resolve, 70))
    }
    await expect.poll(get).toMatch(/^200 five/)
    expect(says()).not.toContain('EADDRINUSE')
  })

  it('kills a server that does not end by itself', async () => {
    const { edit, get } = await supervised(serving('one', "process.on('SIGTERM', () => {})"))
    await expect.poll(get).toMatch(/^200 one/)
    edit(serving('two'))
    await expect.poll(get).toMatch(/^200 two/)
  })

  it('shows what broke until a change mends it', async () => {
    const { edit, get, fetched } = await supervised("throw new Error('<b>broken</b>')")
    await expect.poll(get).toMatch(/^500 [^]*Error: <b>broken<\/b>/)

    const page = await fetched({ accept: 'text/html' })
    expect(await page.text()).toContain('&lt;b&gt;broken&lt;/b&gt;')
    expect(page.headers.get('refresh')).toBe('1')
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'self'")

    edit(serving('mended'))
    await expect.poll(get).toMatch(/^200 mended/)
  })

  it('starts it again when the page’s button is pressed, and leads back', async () => {
    const { get, fetched, file } = await supervised("throw new Error('broken')")
    await expect.poll(get).toMatch(/^500/)
    const [, action] = /action="([^"]+)"/.exec(await (await fetched({ accept: 'text/html' })).text()) ?? []
    writeFileSync(file, serving('mended'))
    expect((await fetched({}, { path: action })).status).toBe(500)
    expect(await get()).toMatch(/^500/)
    const pressed = await fetched(
      { referer: 'http://localhost/posts?page=3' },
      { path: action, method: 'POST' },
    )
    expect([pressed.status, pressed.headers.get('location')]).toEqual([303, 'http://localhost/posts?page=3'])
    await expect.poll(get).toMatch(/^200 mended/)
  })

  it('keeps a request that comes while it starts again until there is an answer', async () => {
    const { edit, get, fetched } = await supervised("throw new Error('broken')")
    await expect.poll(get).toMatch(/^500/)
    // Of a page that has been shown, the reload is awaited.
    await fetched({ accept: 'text/html' })
    edit(serving('mended'))
    await expect.poll(async () => (await fetched({ accept: 'text/html' })).headers.get('refresh')).toBe('0')
    expect(await get()).toMatch(/^200 mended/)
  })

  it('starts a killed server again by itself, but not for ever', async () => {
    const { get } = await supervised(serving('one'))
    const kill = async () => process.kill(Number((await get()).split(' ')[2]), 'SIGKILL')
    await expect.poll(get).toMatch(/^200 one/)
    const first = await get()
    await kill()
    await expect.poll(get).toMatch(/^200 one/)
    expect(await get()).not.toBe(first)
    await kill()
    await expect.poll(get).toMatch(/^500 The server was ended by SIGKILL/)
  })

  it('shows why a command could not be started', async () => {
    const { get } = await supervised('', '/nowhere/node')
    await expect.poll(get).toMatch(/^500 [^]*ENOENT/)
  })

  it('stops the server when it is told to stop, and lets it finish', async () => {
    const drain =
      "process.on('SIGTERM', () => server.close(() => { console.error('drained'); process.exit() }))"
    const { get, stop, says } = await supervised(serving('one', drain))
    await expect.poll(get).toMatch(/^200 one/)
    await stop()
    expect(says()).toContain('drained')
    expect(await get()).toBe('nothing')
  })

  it('gives the server a channel that tells it when the supervisor is gone', async () => {
    const { get } = await supervised(serving('one', "if (!process.connected) throw new Error('no channel')"))
    await expect.poll(get).toMatch(/^200 one/)
  })
})

describe('worthRetrying', () => {
  const ending = { code: 1, signal: null, lived: 100, errors: '' }

  it('is a crash long after the start, or by a signal', () => {
    expect(worthRetrying({ ...ending, lived: 5_000 }, false)).toBe(true)
    expect(worthRetrying({ ...ending, signal: 'SIGKILL' }, false)).toBe(true)
    expect(worthRetrying(ending, false)).toBe(false)
  })

  it('is no second crash within five seconds', () => {
    expect(worthRetrying({ ...ending, signal: 'SIGKILL' }, true)).toBe(false)
    expect(worthRetrying({ ...ending, lived: 5_000 }, true)).toBe(true)
  })
})

/** A supervised server script, which `edit` replaces and reports as changed. */
async function supervised(script: string, command = process.execPath) {
  const folder = mkdtempSync(join(tmpdir(), 'supervisor-'))
  const file = join(folder, 'server.cjs')
  writeFileSync(file, script)
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockReturnValue(undefined)

  const port = await anyFreePort()
  const controller = new AbortController()
  let changed: (file: string) => void
  const ended = supervise({
    command,
    args: [file],
    env: () => ({ ...process.env, PORT: String(port) }),
    host: '127.0.0.1',
    port,
    watch: (report) => {
      changed = report
      return { close: async () => {} }
    },
    signal: controller.signal,
  })
  const stop = () => {
    controller.abort()
    return ended
  }
  onTestFinished(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })

  const fetched = (headers = {}, { path = '/', method = 'GET' } = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      redirect: 'manual',
      headers: { connection: 'close', ...headers },
    })
  return {
    file,
    fetched,
    stop,
    get: async () => {
      const response = await fetched().catch(() => null)
      return response ? `${response.status} ${await response.text()}` : 'nothing'
    },
    says: () => stderr.mock.calls.join(''),
    edit: (text: string) => {
      writeFileSync(file, text)
      changed('server.cjs')
    },
  }
}
