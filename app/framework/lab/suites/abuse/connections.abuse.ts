import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { rawConnection } from 'pergola/lab'
import { describe, expect, it, onTestFinished } from 'vitest'
import { abuseBed } from './abuse-bed.ts'

const { startServer } = await abuseBed()

/** Sends a request from another address of this machine, which only Linux has. */
async function statusFrom(localAddress: string, url: string): Promise<number | undefined> {
  const request = get(url, { localAddress, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response.resume().statusCode
}

describe('a client with more connections than a process has', () => {
  it.skipIf(process.platform !== 'linux')('takes no place of others, and is logged', async () => {
    const server = await startServer({ SERVER__TRUST_PROXY: '0', SERVER__LOG_LEVEL: 'warn' })
    const connections = await Promise.all(Array.from({ length: 2_100 }, () => rawConnection(server.url)))
    onTestFinished(() => connections.forEach(({ socket }) => socket.destroy()))
    expect(await statusFrom('127.0.0.2', `${server.url}/livez`)).toBe(200)
    expect(await statusFrom('127.0.0.2', `${server.url}/readyz`)).toBe(200)
    expect(await statusFrom('127.0.0.2', `${server.url}/login`)).toBe(200)
    await expect.poll(() => server.output()).toContain('"connections were refused"')
    expect(server.output()).toMatch(/"limit":1000,"address":"127\.0\.0\.1"/)
  })
})
