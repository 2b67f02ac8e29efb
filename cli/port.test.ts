import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { anyFreePort, freePort, givenPort, isFree } from './port.ts'

const nothingTaken = async () => true

describe('freePort', () => {
  it('is the one that is asked for when it is free, else the next that is', async () => {
    expect(await freePort(3000, nothingTaken)).toBe(3000)
    expect(await freePort(3000, async (port) => port > 3002)).toBe(3003)
  })

  it('gives up after a hundred', async () => {
    await expect(freePort(3000, async () => false)).rejects.toThrow('3000 to 3099 are all taken')
  })
})

describe('givenPort', () => {
  it('takes what PORT says, and nothing else when that is taken', async () => {
    expect(await givenPort('4000', nothingTaken)).toBe(4000)
    await expect(givenPort('4000', async () => false)).rejects.toThrow(
      'Port 4000, which PORT asks for, is taken',
    )
  })

  it.each(['abc', '0', '65536', '-1', '30.5', ' 3000'])('refuses PORT=%j', async (wanted) => {
    await expect(givenPort(wanted, nothingTaken)).rejects.toThrow('which is no port')
  })
})

describe('isFree', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('sees who listens on %s', async (host) => {
    const port = await anyFreePort()
    expect(await isFree(port)).toBe(true)
    const server = createServer().listen(port, host)
    await once(server, 'listening')
    expect(await isFree(port)).toBe(false)
    server.close()
    await once(server, 'close')
    expect(await isFree(port)).toBe(true)
  })
})
