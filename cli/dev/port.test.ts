import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { anyFreePort, choosePort, isFree } from './port.ts'

const nothingTaken = async () => true

describe('choosePort', () => {
  it('is 3000 when nothing asks for another', async () => {
    expect(await choosePort(undefined, nothingTaken)).toBe(3000)
    expect(await choosePort('', nothingTaken)).toBe(3000)
  })

  it('goes on to the next port that is free', async () => {
    expect(await choosePort(undefined, async (port) => port > 3002)).toBe(3003)
  })

  it('takes what PORT says, and nothing else when that is taken', async () => {
    expect(await choosePort('4000', nothingTaken)).toBe(4000)
    await expect(choosePort('4000', async () => false)).rejects.toThrow(
      'Port 4000, which PORT asks for, is taken',
    )
  })

  it.each(['abc', '0', '65536', '-1', '30.5', ' 3000'])('refuses PORT=%j', async (wanted) => {
    await expect(choosePort(wanted, nothingTaken)).rejects.toThrow('which is no port')
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
