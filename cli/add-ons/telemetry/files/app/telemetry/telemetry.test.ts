import { execFile } from 'node:child_process'
import { tracingChannel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { trace } from '@opentelemetry/api'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'
import { testApp } from '#app/test/test-app.ts'
import { endTelemetry, requestTelemetry, startTelemetry, traceFields } from './telemetry.ts'

describe('telemetry without settings', () => {
  it('observes nothing', async () => {
    await startTelemetry(readConfig({ NODE_ENV: 'test' }), pino({ level: 'silent' }))
    expect([requestTelemetry(), traceFields()]).toEqual([[], {}])
    for (const name of ['statement', 'decision', 'job'])
      expect(tracingChannel(`pergola:${name}`).hasSubscribers).toBe(false)
  })

  it('imports no package', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', START])
    expect(stdout).toContain('done')
    expect(stdout).not.toContain('@opentelemetry')
  })
})

const START = `import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) => (console.log(name), next(name, context)) })
const { readConfig } = await import('#app/config.ts')
const { startTelemetry } = await import('#app/telemetry/telemetry.ts')
await startTelemetry(readConfig({ NODE_ENV: 'test' }), null)
console.log('done')`

it.each([
  ['TELEMETRY__ENDPOINT', 'collector:4318', 'an http or https address'],
  ['TELEMETRY__SAMPLE_RATIO', '2', 'a number from 0 to 1'],
  ['TELEMETRY__SAMPLE_RATIO', 'all', 'a number from 0 to 1'],
  ['TELEMETRY__METRICS_PORT', '0', 'a whole number from 1 to 65535'],
])('%s=%s is not valid', (name, value, expected) => {
  expect(() => readConfig({ NODE_ENV: 'test', [name]: value })).toThrow(`Expected: ${expected}.`)
})

it('ends in time, and breaks no request, if the collector fails or does not answer', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  for (const address of [`http://127.0.0.1:${port}`, 'http://127.0.0.1:9']) {
    const broken = readConfig({ NODE_ENV: 'test', TELEMETRY__ENDPOINT: address })
    await startTelemetry(broken, pino({ level: 'silent' }))
    const other = await testApp()
    expect((await other.guest.get('/login')).status).toBe(200)
    await endTelemetry()
  }
  silent.closeAllConnections()
  silent.close()
})

it('a collector that refuses the spans is a warning in the log', async () => {
  const refusing = createServer((_req, res) => res.writeHead(400).end())
  refusing.listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  const { port } = refusing.address() as AddressInfo
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const endpoint = `http://127.0.0.1:${port}`
  await startTelemetry(readConfig({ NODE_ENV: 'test', TELEMETRY__ENDPOINT: endpoint }), log)
  trace.getTracer('test').startSpan('work').end()
  await endTelemetry()
  expect(lines).toEqual([expect.stringContaining('spans can’t be sent, and are dropped')])
  refusing.close()
})
