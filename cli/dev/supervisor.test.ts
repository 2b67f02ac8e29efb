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
  it('restarts the server after a change', async () => {
    const { edit, get } = await supervised(serving('one'))
    await expect.poll(get).toMatch(/^200 one/)
    edit(serving('two'))
    await expect.poll(get).toMatch(/^200 two/)
  })

  it('never runs two servers, even if changes follow quickly', async () => {
    // A second server would fail to listen, and the crash page would appear.
    const { edit, get, output } = await supervised(
      serving('one', "process.on('SIGTERM', () => setTimeout(process.exit, 200))"),
    )
    await expect.poll(get).toMatch(/^200 one/)
    for (const text of ['two', 'three', 'four', 'five']) {
      edit(serving(text))
      await new Promise((resolve) => setTimeout(resolve, 70))
    }
    await expect.poll(get).toMatch(/^200 five/)
    expect(output()).not.toContain('EADDRINUSE')
  })

  it('kills a server that ignores SIGTERM', async () => {
    const { edit, get } = await supervised(serving('one', "process.on('SIGTERM', () => {})"))
    await expect.poll(get).toMatch(/^200 one/)
    edit(serving('two'))
    await expect.poll(get).toMatch(/^200 two/)
  })

  it('shows the crash page until a change fixes the error', async () => {
    const { edit, get, fetched } = await supervised("throw new Error('<b>broken</b>')")
    await expect.poll(get).toMatch(/^500 [^]*Error: <b>broken<\/b>/)

    const page = await fetched({ accept: 'text/html' })
    expect(await page.text()).toContain('&lt;b&gt;broken&lt;/b&gt;')
    expect(page.headers.get('refresh')).toBe('1')
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'self'")

    edit(serving('mended'))
    await expect.poll(get).toMatch(/^200 mended/)
  })

  it('restarts when the button of the page is pressed, and redirects back', async () => {
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

  it('holds requests during a restart until the server responds', async () => {
    const { edit, get, fetched } = await supervised("throw new Error('broken')")
    await expect.poll(get).toMatch(/^500/)
    // After this request, the supervisor waits for the page to reload.
    await fetched({ accept: 'text/html' })
    edit(serving('mended'))
    await expect.poll(async () => (await fetched({ accept: 'text/html' })).headers.get('refresh')).toBe('0')
    expect(await get()).toMatch(/^200 mended/)
  })

  it('restarts a killed server only once', async () => {
    const { get } = await supervised(serving('one'))
    const kill = async () => process.kill(Number((await get()).split(' ')[2]), 'SIGKILL')
    await expect.poll(get).toMatch(/^200 one/)
    const first = await get()
    await kill()
    await expect.poll(get).toMatch(/^200 one/)
    expect(await get()).not.toBe(first)
    await kill()
    await expect.poll(get).toMatch(/^500 The server was terminated by SIGKILL/)
  })

  it('shows the error of a command that could not be started', async () => {
    const { get } = await supervised('', '/nowhere/node')
    await expect.poll(get).toMatch(/^500 [^]*ENOENT/)
  })

  it('stops the server on abort, and waits until it has finished', async () => {
    const drain =
      "process.on('SIGTERM', () => server.close(() => { console.error('drained'); process.exit() }))"
    const { get, stop, output } = await supervised(serving('one', drain))
    await expect.poll(get).toMatch(/^200 one/)
    await stop()
    expect(output()).toContain('drained')
    expect(await get()).toBe('nothing')
  })

  it('connects an IPC channel, which disconnects when the supervisor ends', async () => {
    const { get } = await supervised(serving('one', "if (!process.connected) throw new Error('no channel')"))
    await expect.poll(get).toMatch(/^200 one/)
  })
})

describe('worthRetrying', () => {
  const ending = { code: 1, signal: null, uptime: 100, errors: '' }

  it('returns true for a late crash, or a crash by a signal', () => {
    expect(worthRetrying({ ...ending, uptime: 5_000 }, false)).toBe(true)
    expect(worthRetrying({ ...ending, signal: 'SIGKILL' }, false)).toBe(true)
    expect(worthRetrying(ending, false)).toBe(false)
  })

  it('returns false for a second crash within five seconds', () => {
    expect(worthRetrying({ ...ending, signal: 'SIGKILL' }, true)).toBe(false)
    expect(worthRetrying({ ...ending, uptime: 5_000 }, true)).toBe(true)
  })
})

/** Supervises a server script. `edit` replaces it and reports the change. */
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
    output: () => stderr.mock.calls.join(''),
    edit: (text: string) => {
      writeFileSync(file, text)
      changed('server.cjs')
    },
  }
}
