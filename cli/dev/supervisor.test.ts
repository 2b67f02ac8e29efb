import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startChild } from './child.ts'
import { Front } from './front.ts'
import { supervise, worthRetrying } from './supervisor.ts'
import { developmentWorker } from './worker.ts'

const serving = (text: string, more = '') => `
  const server = require('node:http').createServer((req, res) => res.end('${text} ' + process.pid))
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
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
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'")

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

  it('fails no request during restarts', async () => {
    const { edit, get } = await supervised(serving('one'))
    await expect.poll(get).toMatch(/^200 one/)
    const answers: string[] = []
    for (const text of ['two', 'three', 'four']) {
      edit(serving(text))
      const isRestarted = () => answers.at(-1)?.startsWith(`200 ${text}`)
      // Each of these requests begins before, during or after the restart.
      while (!isRestarted()) answers.push(...(await Promise.all([get(), get(), get()])))
    }
    expect(answers.filter((answer) => !answer.startsWith('200'))).toEqual([])
  })

  it('shows what restarts if that takes long', async () => {
    const { edit, fetched, get } = await supervised(serving('one'), { longestWait: 50 })
    await expect.poll(get).toMatch(/^200 one/)
    edit('setInterval(() => {}, 1_000)')
    await expect
      .poll(get)
      .toMatch(/^503 The server is restarting\.\n\nserver\.cjs changed\. app\/server\.ts has been/)
    const page = await fetched({ accept: 'text/html' })
    expect([page.status, page.headers.get('refresh')]).toEqual([503, '1'])
    expect(await page.text()).toContain(
      '<p>server.cjs changed. app/server.ts has been starting for 0 seconds.</p>',
    )
    edit(serving('two'))
    await expect.poll(get).toMatch(/^200 two/)
  })

  it('shows the file and the line of a syntax error', async () => {
    const { get } = await supervised('const one = 1\nconst = 2')
    await expect.poll(get).toMatch(/^500 [^]*app\/server\.cjs:2\n[^]*SyntaxError/)
  })

  it('repeats a GET request whose server was killed, and no POST request', async () => {
    const waiting = `
      const server = require('node:http').createServer((req, res) => {
        if (req.url === '/kill') process.kill(process.pid, 'SIGKILL')
        else res.end('up')
      })
      server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))`
    const { get, fetched, edit } = await supervised(waiting)
    await expect.poll(get).toBe('200 up')
    const posted = await fetched({}, { path: '/kill', method: 'POST' })
    expect([posted.status, await posted.text()]).toEqual([
      503,
      expect.stringContaining('may have carried it out'),
    ])
    await expect.poll(get).toBe('200 up')
    // The repeated request kills the server a second time.
    const repeated = await fetched({}, { path: '/kill' })
    expect([repeated.status, await repeated.text()]).toEqual([500, expect.stringContaining('SIGKILL')])
    edit(serving('two'))
    await expect.poll(get).toMatch(/^200 two/)
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

  it('restarts a crashed server when the database was restarted, and no other', async () => {
    const crashing = `if (!require('node:fs').existsSync(__filename + '.up')) throw new Error('no database');`
    const { file, get, recover } = await supervised(crashing + serving('one'))
    await expect.poll(get).toMatch(/^500 [^]*no database/)
    writeFileSync(`${file}.up`, '')
    recover()
    await expect.poll(get).toMatch(/^200 one/)
    const first = await get()
    recover()
    expect(await get()).toBe(first)
  })

  it('shows the error of a command that could not be started', async () => {
    const { get } = await supervised('', { command: '/nowhere/node' })
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

  it('runs a worker beside the server, and restarts it with the server', async () => {
    const { edit, get, stop, events } = await supervised(serving('one'), {
      worker: `
        const note = (text) => require('node:fs').appendFileSync(process.argv[2], text + '\\n')
        note('started')
        process.on('SIGTERM', () => setTimeout(() => { note('stopped'); process.exit() }, 200))
        setInterval(() => {}, 1_000)`,
    })
    await expect.poll(events).toEqual(['started'])
    edit(serving('two'))
    await expect.poll(events).toEqual(['started', 'stopped', 'started'])
    expect(await get()).toMatch(/^200 two/)
    await stop()
    expect(events()).toEqual(['started', 'stopped', 'started', 'stopped'])
  })

  it('does not wait for a worker that stops slowly', async () => {
    const { edit, get, events } = await supervised(serving('one'), {
      worker: `
        require('node:fs').appendFileSync(process.argv[2], 'started\\n')
        process.on('SIGTERM', () => {})
        setInterval(() => {}, 1_000)`,
    })
    await expect.poll(events).toEqual(['started'])
    edit(serving('two'))
    await expect.poll(get).toMatch(/^200 two/)
    // The second one starts after the first was killed.
    expect(events()).toEqual(['started'])
    await expect.poll(events).toEqual(['started', 'started'])
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
async function supervised(
  script: string,
  { command = process.execPath, longestWait = 10_000, worker = '' } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'supervisor-'))
  const folder = join(root, 'app')
  mkdirSync(folder)
  const file = join(folder, 'server.cjs')
  writeFileSync(file, script)
  const [workerFile, noted] = [join(root, 'worker.cjs'), join(root, 'noted')]
  writeFileSync(workerFile, worker)
  const workerCommand = { command: process.execPath, args: [workerFile, noted], env: () => process.env }
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockReturnValue(undefined)

  const front = await Front.open({ host: '127.0.0.1', port: 0, longestWait })
  const controller = new AbortController()
  let changed: (file: string) => void
  let recovered: () => void
  const ended = supervise({
    server: {
      start: () => startChild({ command, args: [file], env: () => process.env }),
      prepare: () => {},
    },
    front,
    ...(worker !== '' && { worker: developmentWorker(workerCommand) }),
    watch: (reportChange, reportRecovery) => {
      changed = reportChange
      recovered = reportRecovery
      return { settled: async () => {}, close: async () => {} }
    },
    signal: controller.signal,
  })
  const stop = () => {
    controller.abort()
    return ended
  }
  onTestFinished(async () => {
    await stop()
    rmSync(root, { recursive: true })
  })

  const fetched = (headers = {}, { path = '/', method = 'GET' } = {}) =>
    fetch(`http://127.0.0.1:${front.port}${path}`, {
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
    /** The lines that the worker has appended to a file. */
    events: () => (existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n') : []),
    recover: () => recovered(),
    output: () => stderr.mock.calls.join(''),
    edit: (text: string) => {
      writeFileSync(file, text)
      changed('server.cjs')
    },
  }
}
