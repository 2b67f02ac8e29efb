import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { anyFreePort, freePort, isFree, portOf } from './port.ts'

async function listenOn(port: number, host: string) {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

describe('freePort', () => {
  it('returns the first port that is free', async () => {
    const port = await anyFreePort()
    await using _other = await listenOn(port, '127.0.0.1')
    expect(await freePort(port)).toBeGreaterThan(port)
  })
})

describe('portOf', () => {
  it('returns a free port, and throws for one in use', async () => {
    const port = await anyFreePort()
    expect(await portOf(String(port))).toBe(port)
    await using _other = await listenOn(port, '127.0.0.1')
    await expect(portOf(String(port))).rejects.toThrow('that port is in use')
  })

  it.each(['abc', '0', '65536', '-1', '30.5', ' 3000'])('throws for PORT=%j', async (value) => {
    await expect(portOf(value)).rejects.toThrow('Set it to a number from 1 to 65535')
  })
})

describe('isFree', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('returns false while a server listens on %s', async (host) => {
    const port = await anyFreePort()
    expect(await isFree(port)).toBe(true)
    {
      await using _server = await listenOn(port, host)
      expect(await isFree(port)).toBe(false)
    }
    expect(await isFree(port)).toBe(true)
  })
})
