import { setTimeout as sleep } from 'node:timers/promises'
import { acknowledgements, withstand } from 'pergola/lab'
import { describe, expect, it } from 'vitest'
import { faultBed } from './fault-bed.ts'

const { postgres, network, server, load } = await faultBed()

const ROUNDS = 10

describe('the memory of the application', () => {
  it('is bounded during ten rounds of faults', (test) =>
    withstand(test, load, async (load) => {
      await acknowledgements(load, 1_500)
      const afterWarmUp = server.megabytes()
      for (let round = 0; round < ROUNDS; round++) {
        network.cut()
        await sleep(500)
        network.heal()
        await acknowledgements(load, 100)
        await postgres.stopImmediately()
        await postgres.start()
        await acknowledgements(load, 100)
      }
      const growth = server.megabytes() - afterWarmUp
      expect(growth, `MB more than the ${afterWarmUp} MB after the warm-up`).toBeLessThan(200)
    }))
})
