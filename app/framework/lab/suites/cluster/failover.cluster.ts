import { setTimeout as sleep } from 'node:timers/promises'
import { acknowledgements, withstand } from 'pergola/lab'
import { expect, it } from 'vitest'
import { requestsOf } from '../faults/fault-bed.ts'
import { clusterBed, sqlOn, titlesOn } from './cluster-bed.ts'

const { primary, replicas, servers, pointTo, newcomer, secrets } = await clusterBed()
const [prompt] = replicas
const { client } = await newcomer()
const { read, write } = requestsOf(() => client)

/** Both replicas confirm a commit before its client does: each of them has all acknowledged writes. */
async function replicateSynchronously(): Promise<void> {
  await sqlOn(primary, `alter system set synchronous_standby_names = '2 (*)'`)
  await sqlOn(primary, 'select pg_reload_conf()')
  await expect
    .poll(() => sqlOn(primary, `select sync_state from pg_stat_replication`))
    .toEqual([{ sync_state: 'sync' }, { sync_state: 'sync' }])
}

/** Sends writes, each of them once, until `over`. Those of the load are repeated until they are acknowledged. */
async function writeOnceEach(over: AbortSignal) {
  const acknowledged: string[] = []
  const unacknowledged: string[] = []
  const writer = async () => {
    while (!over.aborted) {
      const key = crypto.randomUUID()
      const answer = await write(key).catch(() => null)
      const isStored = answer?.status === 201
      ;(isStored ? acknowledged : unacknowledged).push(key)
      await sleep(isStored ? 5 : 50)
    }
  }
  await Promise.all([writer(), writer()])
  return { acknowledged, unacknowledged }
}

it('a killed primary is replaced by a replica, and no acknowledged write is lost', async (test) => {
  await replicateSynchronously()
  const over = new AbortController()
  const once = writeOnceEach(over.signal)
  const stored = () => titlesOn(prompt)
  await withstand(test, { read, write, servers, secrets, stored }, async (load) => {
    const before = performance.now()
    await primary.kill()
    await prompt.promote()
    pointTo(prompt)
    await load.recovery()
    const seconds = (performance.now() - before) / 1_000
    await acknowledgements(load, 50)
    over.abort()
    return seconds
  })
  const { acknowledged, unacknowledged } = await once
  const titles = await stored()
  const timesOf = (key: string) => titles.filter((title) => title === key).length
  expect(acknowledged.filter((key) => timesOf(key) !== 1)).toEqual([])
  const kept = unacknowledged.filter((key) => timesOf(key) > 0)
  expect(kept.filter((key) => timesOf(key) !== 1)).toEqual([])
  await test.annotate(
    `Of ${acknowledged.length + unacknowledged.length} writes that were sent once, ${unacknowledged.length} were not acknowledged. Stored: ${kept.join(', ') || 'none of them'}.`,
  )
  // The session began on the primary that was killed.
  expect((await client.get('/account')).status).toBe(200)
})
