import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startChild } from './child.ts'
import { Front } from './front.ts'
import { supervise } from './supervisor.ts'
import { watchFiles } from './watch.ts'

const SERVER = `
  const [one, other] = [require('./one.json'), require('./other.json')]
  const server = require('node:http').createServer((req, res) => setTimeout(() => res.end(one + ' ' + other), 3))
  process.on('SIGTERM', () => server.close(() => process.exit()))
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))`

const SAVES = 30
const REQUESTS = 600

it('answers 600 requests during 30 saves, each by one version of the code', async () => {
  const root = mkdtempSync(join(tmpdir(), 'saves-'))
  mkdirSync(join(root, 'app'))
  const write = (name: string, text: string | number) => {
    writeFileSync(join(root, name), String(text))
    renameSync(join(root, name), join(root, 'app', name))
  }
  const save = async (version: number) => {
    write('one.json', version)
    await sleep(10)
    write('other.json', version)
  }
  write('server.cjs', SERVER)
  await save(0)
  vi.spyOn(console, 'log').mockReturnValue(undefined)
  const front = await Front.open({ host: '127.0.0.1', port: 0 })
  const controller = new AbortController()
  let ready = Promise.resolve()
  const ended = supervise({
    server: {
      start: () =>
        startChild({
          command: process.execPath,
          args: [join(root, 'app/server.cjs')],
          env: () => process.env,
        }),
      prepare: () => {},
    },
    front,
    watch: (code) => {
      const watcher = watchFiles(root, { code, pages: () => {}, isWriting: () => false })
      ready = watcher.ready
      return watcher
    },
    signal: controller.signal,
  })
  onTestFinished(async () => {
    controller.abort()
    await ended
    rmSync(root, { recursive: true })
  })
  await ready

  const saves = Array.from({ length: SAVES }, (_, index) => index + 1)
  const saving = (async () => {
    for (let version = saves.shift(); version !== undefined; version = saves.shift()) {
      await save(version)
      await sleep(100)
    }
  })()
  const answers: string[] = []
  const request = async () => {
    while (saves.length > 0 || answers.length < REQUESTS) {
      const response = await fetch(`http://127.0.0.1:${front.port}/`)
      answers.push(`${response.status} ${await response.text()}`)
    }
  }
  await Promise.all([saving, request(), request(), request(), request()])
  const wrong = answers.filter((answer) => !/^200 (\d+) \1$/.test(answer))
  expect(wrong).toEqual([])
  expect(answers.at(-1)).toBe(`200 ${SAVES} ${SAVES}`)
})
