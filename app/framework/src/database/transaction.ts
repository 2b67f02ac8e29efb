import { setTimeout as sleep } from 'node:timers/promises'
import { databaseContext, within } from './executor.ts'
import { type Isolation, ISOLATIONS, type OpenTransaction } from './unit.ts'
import { isCollision } from './sql-states.ts'

export interface TransactionOptions {
  /** Defaults to 'read committed'. */
  isolation?: Isolation
  /** How often `work` runs again after a serialization failure or a deadlock; defaults to 3. */
  retries?: number
}

/**
 * Runs `work` in a transaction and returns its result. Repositories and `database()` inside of it use the transaction.
 * An error rolls everything back and is thrown.
 *
 * A nested call is part of the outer transaction. Don't catch its errors, since it can't be rolled back alone. It
 * throws if its `isolation` is stricter than that of the outer transaction.
 *
 * After a deadlock or a serialization failure, `work` runs again, up to three times (`retries`). Move effects that the
 * database can't roll back into `afterCommit`.
 *
 * ```ts
 * await inTransaction(async () => {
 *   await posts.asSystem('merge').delete(7)
 *   await users.asSystem('merge').update(3, { posts_count: 0 })
 * })
 * ```
 */
export async function inTransaction<Result>(
  work: () => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  const { db, transaction } = databaseContext()
  if (db.isTransaction) return partOf(transaction, work, options)
  const { isolation = 'read committed', retries = 3 } = options
  for (let attempt = 0; ; attempt++) {
    const opened = { isolation, afterCommit: [], isOver: false, isRolledBack: false }
    try {
      const result = await execute(opened, work)
      await runAll(opened.afterCommit)
      return result
    } catch (error) {
      if (!opened.isRolledBack || attempt >= retries || !isCollision(error)) throw error
    }
    // Random delays, so that transactions that collided don't collide again.
    await sleep(2 ** attempt * (5 + Math.random() * 20))
  }
}

/**
 * Calls `callback` after the outermost transaction has committed; at once if no transaction is open; never if the
 * transaction is rolled back. For mails and other effects that can't be rolled back. If `callback` throws, `inTransaction`
 * throws its error, but the writes remain committed. Throws within a transaction that Kysely opened.
 */
export async function afterCommit(callback: () => unknown): Promise<void> {
  const { db, transaction } = databaseContext()
  if (transaction !== null) transaction.afterCommit.push(callback)
  else if (!db.isTransaction) await callback()
  else throw new Error('afterCommit needs a transaction that was opened with inTransaction.')
}

function partOf<Result>(
  outer: OpenTransaction | null,
  work: () => Promise<Result>,
  { isolation = 'read committed' }: TransactionOptions,
): Promise<Result> {
  const has = outer?.isolation ?? 'read committed'
  if (ISOLATIONS.indexOf(has) >= ISOLATIONS.indexOf(isolation)) return work()
  throw new Error(
    `The outer transaction is '${has}' and can't become '${isolation}'. Pass the isolation to the outer call.`,
  )
}

async function execute<Result>(opened: OpenTransaction, work: () => Promise<Result>): Promise<Result> {
  const { db, unit } = databaseContext()
  try {
    return await db
      .transaction()
      .setIsolationLevel(opened.isolation)
      .execute(async (transaction) => {
        try {
          return await within({ db: transaction, transaction: opened }, async () => {
            await unit.fence?.hold()
            return work()
          })
        } finally {
          opened.isOver = true
        }
      })
  } catch (error) {
    opened.isRolledBack = true
    throw error
  }
}

/** Calls all functions, even if one throws. Throws the first error afterwards. */
async function runAll(waiting: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const done of waiting) {
    try {
      await done()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
