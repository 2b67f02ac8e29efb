import { setTimeout as sleep } from 'node:timers/promises'
import { withstand } from 'pergola/lab'
import { describe, it } from 'vitest'
import { faultBed } from './fault-bed.ts'

const { network, load } = await faultBed()

describe('the network to Postgres', () => {
  it('is cut for five seconds', (test) =>
    withstand(test, load, async () => {
      network.cut()
      await sleep(5_000)
      network.heal()
    }))

  it('loses all bytes for ten seconds, and closes no connection', (test) =>
    withstand(test, load, async () => {
      network.vanish()
      await sleep(10_000)
      network.heal()
    }))

  it('is slow for ten seconds', (test) =>
    withstand(test, load, async () => {
      network.slow({ milliseconds: 100, bytesPerSecond: 50_000 })
      await sleep(10_000)
      network.heal()
    }))
})
