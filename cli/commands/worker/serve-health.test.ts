import { readConfig } from '#app/config.ts'
import { freePort } from 'pergola/lab'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveHealth } from './serve-health.ts'

describe('serveHealth', () => {
  it('answers /livez, and /readyz by the state of the worker', async () => {
    const port = await freePort()
    let isReady = false
    const config = readConfig({ NODE_ENV: 'test', WORKER__PORT: String(port) })
    onTestFinished(await serveHealth(config, () => isReady))
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    expect([await statusOf('/livez'), await statusOf('/readyz')]).toEqual([200, 503])
    isReady = true
    expect([await statusOf('/readyz'), await statusOf('/login')]).toEqual([200, 404])
  })

  it('listens on no port without a setting', async () => {
    expect(await serveHealth(readConfig({ NODE_ENV: 'test' }), () => true)).not.toThrow()
  })
})
