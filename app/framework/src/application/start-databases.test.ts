import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ServedDatabase, startDatabases } from './start-databases.ts'

const unreachable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const pending = new Error('The migration 9_new is pending.')

/** Returns a database whose checks fail with these errors first. */
function database(shard: string | undefined, ...failures: Error[]) {
  const checks = vi.fn<() => Promise<void>>(() => {
    const failure = failures.shift()
    return failure === undefined ? Promise.resolve() : Promise.reject(failure)
  })
  const canServe = vi.fn<() => Promise<boolean>>(() => Promise.resolve(true))
  return { shard, check: checks, canServe } satisfies ServedDatabase
}

function start(databases: readonly ServedDatabase[], isPatient = true) {
  const lines: { shard?: string; msg: string }[] = []
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) })
  return startDatabases(databases, { log, isPatient }).then((started) => ({ ...started, lines }))
}

describe('startDatabases with one database', () => {
  it('waits until it can be reached', async () => {
    const { isStarted, canServe, startOthers, lines } = await start([database(undefined, unreachable)])
    expect([isStarted(), await canServe()]).toEqual([false, false])
    await startOthers()
    expect([isStarted(), await canServe()]).toEqual([true, true])
    expect(lines).toEqual([])
  })

  it('throws an error that waiting does not fix, at once or when it is reached', async () => {
    await expect(start([database(undefined, pending)])).rejects.toBe(pending)
    const { startOthers } = await start([database(undefined, unreachable, pending)])
    await expect(startOthers()).rejects.toBe(pending)
  })

  it('throws each error in development', async () => {
    await expect(start([database(undefined, unreachable)], false)).rejects.toBe(unreachable)
  })
})

describe('startDatabases with shards', () => {
  it('serves the others while one is down', async () => {
    const down = database('us', ...Array<Error>(2).fill(unreachable))
    const { isStarted, canServe, startOthers, lines } = await start([database('eu'), down])
    expect([isStarted(), await canServe()]).toEqual([true, true])
    expect(down.canServe).not.toHaveBeenCalled()
    await startOthers()
    expect(await canServe()).toBe(true)
    expect(down.canServe).toHaveBeenCalled()
    expect(lines).toMatchObject([{ shard: 'us', msg: 'the database is not reachable: trying again' }])
  })

  it('serves the others while one has a pending migration, and checks it again', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const behind = database('us', pending, pending)
    const { canServe, startOthers, lines } = await start([database('eu'), behind])
    expect(await canServe()).toBe(true)
    const others = startOthers()
    await vi.advanceTimersByTimeAsync(10_000)
    await others
    expect(behind.check).toHaveBeenCalledTimes(3)
    expect(lines).toMatchObject([{ shard: 'us', msg: 'the shard can’t be served: trying again' }])
  })

  it('throws if none can be served, and one of the errors stays', async () => {
    await expect(start([database('eu', unreachable), database('us', pending)])).rejects.toBe(pending)
    const { isStarted } = await start([database('eu', unreachable), database('us', unreachable)])
    expect(isStarted()).toBe(false)
  })

  it('can serve while one can’t, and not if none can', async () => {
    const [eu, us] = [database('eu'), database('us')]
    const { canServe } = await start([eu, us])
    us.canServe.mockRejectedValue(unreachable)
    expect(await canServe()).toBe(true)
    eu.canServe.mockResolvedValue(false)
    expect(await canServe()).toBe(false)
  })

  it('does not wait for a shard that hangs, nor probes it twice', async () => {
    const [eu, us] = [database('eu'), database('us')]
    const { canServe } = await start([us, eu])
    us.canServe.mockReturnValue(new Promise(() => {}))
    expect([await canServe(), await canServe()]).toEqual([true, true])
    expect(us.canServe).toHaveBeenCalledTimes(1)
  })
})
