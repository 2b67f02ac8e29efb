import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { afterCommit, database, inTransaction, withDatabase } from 'pergola'
import type { TransactionOptions } from './transaction.ts'
import { testDatabase } from 'pergola/testing'
import { makeNote, notes } from '../../test/fixtures/note.ts'

const { db } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const make = () => within(() => makeNote({ title: 'Old' }))
const titleOf = async (id: number) => (await within(() => notes.asSystem('test').find(id)))?.title
const rename = (id: number, title: string) => notes.asSystem('test').update(id, { title })
const failure = (code: string) => Object.assign(new Error('failed'), { code })

describe('inTransaction', () => {
  it('rolls back all writes if the callback throws', async () => {
    const { id } = await make()
    const work = within(() =>
      inTransaction(async () => {
        await rename(id, 'New')
        throw new Error('No.')
      }),
    )
    await expect(work).rejects.toThrow('No.')
    expect(await titleOf(id)).toBe('Old')
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('by zero'))],
    ['fails in Postgres', () => sql`select 1 / 0`.execute(database())],
  ])('rolls back all concurrent statements if one of them %s', async (_, broken) => {
    const rows = await Promise.all([make(), make(), make(), make()])
    let running: Promise<unknown>[] = []
    const work = within(() =>
      inTransaction(() => {
        running = [broken(), ...rows.map(({ id }) => rename(id, 'New'))]
        return Promise.all(running)
      }),
    )
    await expect(work).rejects.toThrow('by zero')
    await Promise.allSettled(running)
    expect(await Promise.all(rows.map(({ id }) => titleOf(id)))).toEqual(Array(4).fill('Old'))
  })

  it('throws if a statement failed, even if its error was caught', async () => {
    const { id } = await make()
    const calls: string[] = []
    const work = within(() =>
      inTransaction(async () => {
        await afterCommit(() => calls.push('committed'))
        await rename(id, 'New')
        await inTransaction(() => sql`select 1 / 0`.execute(database())).catch(() => {})
      }),
    )
    await expect(work).rejects.toThrow('rolled back instead of committed')
    expect([await titleOf(id), calls]).toEqual(['Old', []])
  })

  it.each(['read committed', 'repeatable read', 'serializable'] as const)(
    'runs at the isolation level of its options: %s',
    async (isolation) => {
      const { rows } = await within(() =>
        inTransaction(
          () => sql`select current_setting('transaction_isolation') as level`.execute(database()),
          {
            isolation,
          },
        ),
      )
      expect(rows).toEqual([{ level: isolation }])
    },
  )

  it('joins the outer transaction, and throws if its isolation level is too weak', async () => {
    const nest = (outer: TransactionOptions, inner: TransactionOptions) =>
      within(() => inTransaction(() => inTransaction(() => Promise.resolve('done'), inner), outer))
    expect(await nest({ isolation: 'serializable' }, {})).toBe('done')
    expect(await nest({ isolation: 'serializable' }, { isolation: 'repeatable read' })).toBe('done')
    await expect(nest({}, { isolation: 'serializable' })).rejects.toThrow(
      "The outer transaction is 'read committed' and can't become 'serializable'",
    )
  })

  it('rejects statements after its end', async () => {
    let late: Promise<unknown> = Promise.resolve()
    let go = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    await within(() =>
      inTransaction(() => {
        late = gate.then(() => notes.asSystem('test').find(1))
        return Promise.resolve()
      }),
    )
    go()
    await expect(late).rejects.toThrow('This transaction has ended')
  })
})

describe('inTransaction after a serialization failure or a deadlock', () => {
  /** Returns the number of attempts and the result or the error code, if the attempts fail with these codes. */
  const attempts = async (options: TransactionOptions, codes: readonly (string | null)[]) => {
    let done = 0
    const outcome = await within(() =>
      inTransaction(() => {
        const code = codes[done++] ?? null
        return code === null ? Promise.resolve('done') : Promise.reject(failure(code))
      }, options),
    ).catch((error: unknown) => (error as { code: string }).code)
    return [done, outcome]
  }

  it('retries three times by default', async () => {
    const stricter = { isolation: 'serializable' } as const
    expect(await attempts(stricter, ['40001', '40P01', '40001'])).toEqual([4, 'done'])
    expect(await attempts(stricter, ['40001', '40001', '40001', '40001'])).toEqual([4, '40001'])
    expect(await attempts({ isolation: 'repeatable read' }, ['40001'])).toEqual([2, 'done'])
    expect(await attempts({}, ['40P01', '40P01', '40001'])).toEqual([4, 'done'])
    expect(await attempts({}, ['40P01', '40P01', '40P01', '40P01'])).toEqual([4, '40P01'])
  })

  it('retries as often as the option, and only after these errors', async () => {
    expect(await attempts({ retries: 1 }, ['40P01'])).toEqual([2, 'done'])
    expect(await attempts({ retries: 1 }, ['40P01', '40P01'])).toEqual([2, '40P01'])
    expect(await attempts({ isolation: 'serializable', retries: 0 }, ['40001'])).toEqual([1, '40001'])
    expect(await attempts({ isolation: 'serializable' }, ['23505'])).toEqual([1, '23505'])
  })

  it('retries if the error is the cause of another error', async () => {
    let done = 0
    const wrapped = () =>
      done++ === 0 ? Promise.reject(new Error('x', { cause: failure('40001') })) : Promise.resolve('done')
    expect(await within(() => inTransaction(wrapped, { retries: 1 }))).toBe('done')
  })

  it('retries only the outermost transaction', async () => {
    const titles: string[] = []
    await within(() =>
      inTransaction(
        async () => {
          titles.push('outer')
          await inTransaction(
            () => (titles.push('inner') === 2 ? Promise.reject(failure('40001')) : Promise.resolve()),
            { retries: 5 },
          )
        },
        { retries: 1 },
      ),
    )
    expect(titles).toEqual(['outer', 'inner', 'outer', 'inner'])
  })

  it('retries one of two transactions that read each other’s rows', async () => {
    const [one, two] = await Promise.all([make(), make()])
    let done = 0
    let meet = () => {}
    const both = new Promise<void>((resolve) => (meet = resolve))
    /** Copies the title of one row to another row. */
    const follow = (own: number, other: number) =>
      within(() =>
        inTransaction(
          async () => {
            const title = (await notes.asSystem('test').find(other))?.title
            if (++done === 2) meet()
            await both
            await rename(own, `${title}+`)
          },
          { isolation: 'serializable' },
        ),
      )
    await Promise.all([follow(one.id, two.id), follow(two.id, one.id)])
    expect(done).toBe(3)
    expect(new Set([await titleOf(one.id), await titleOf(two.id)])).toEqual(new Set(['Old+', 'Old++']))
  })
})

describe('afterCommit', () => {
  const calls: string[] = []
  const noteCall = (call: string) => afterCommit(() => calls.push(call))

  it('waits for the outermost commit, and sees the written rows', async () => {
    const { id } = await make()
    calls.length = 0
    await within(() =>
      inTransaction(async () => {
        await inTransaction(async () => {
          await rename(id, 'New')
          await afterCommit(async () => calls.push((await notes.asSystem('test').find(id))?.title ?? ''))
        })
        calls.push('still inside')
      }),
    )
    expect(calls).toEqual(['still inside', 'New'])
  })

  it('runs immediately outside of a transaction, and never after a rollback', async () => {
    calls.length = 0
    await within(() => noteCall('at once'))
    const broken = within(() =>
      inTransaction(async () => {
        await noteCall('taken back')
        throw new Error('No.')
      }),
    )
    await expect(broken).rejects.toThrow('No.')
    expect(calls).toEqual(['at once'])
  })

  it('runs once after a retry', async () => {
    calls.length = 0
    let done = 0
    await within(() =>
      inTransaction(
        async () => {
          await noteCall('once')
          if (done++ === 0) throw failure('40001')
        },
        { retries: 1 },
      ),
    )
    expect(calls).toEqual(['once'])
  })

  it('throws its error without a retry, keeps the writes, and runs the other functions', async () => {
    const { id } = await make()
    calls.length = 0
    let done = 0
    const work = within(() =>
      inTransaction(
        async () => {
          done++
          await rename(id, 'New')
          await afterCommit(() => Promise.reject(failure('40001')))
          await noteCall('the other')
        },
        { retries: 3 },
      ),
    )
    await expect(work).rejects.toThrow('failed')
    expect([await titleOf(id), done, calls]).toEqual(['New', 1, ['the other']])
  })

  it('throws in a transaction that Kysely opened', async () => {
    const foreign = db
      .transaction()
      .execute((transaction) => withDatabase(transaction, () => noteCall('never')))
    await expect(foreign).rejects.toThrow('opened with inTransaction')
  })
})
