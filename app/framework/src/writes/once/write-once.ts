import type { Request } from 'express'
import { currentDatabaseContext, databaseContext, within } from '../../database/executor.ts'
import type { KeyedWrite, Unit } from '../../database/unit.ts'
import { inTransaction, type TransactionOptions } from '../../database/transaction.ts'
import { HttpError, BadRequest } from '../../http/errors.ts'
import type { Resource } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import { claimKey, storedWrite, storeIds } from './idempotency-keys.ts'
import { digestOf, hasRequestKey, requestKey } from '../../http/server/request-key.ts'

interface Write<Result> {
  /** Writes the records. Runs in a transaction, with the writes of its hooks. */
  readonly write: () => Promise<Result>
  /** Returns the ids of the written records. */
  readonly idsOf: (result: Result) => readonly RecordId[]
  /** Returns the result for the records that an equal request wrote. */
  readonly repeat: (ids: readonly RecordId[]) => Promise<Result>
  /** Whether the write has no policy. It then ignores the keys of guests, whom no policy could identify. */
  readonly isSystem?: boolean
  /** The options of the transaction. */
  readonly transaction?: TransactionOptions
}

/**
 * Calls `write` once for all equal requests with an idempotency key: calls `repeat` instead if an equal request has
 * committed this write. Waits while an equal request is writing. Stores no key if the write is rolled back.
 *
 * Throws an `HttpError` (422) if the key was used with another body, and `BadRequest` for a malformed key. Costs nothing
 * without a key, and otherwise BEGIN, COMMIT and two statements.
 */
export async function writeOnce<Result>(resource: Resource, steps: Write<Result>): Promise<Result> {
  const context = currentDatabaseContext()
  // Within a write that has a key, the hooks run once too.
  if (context === undefined || context.isWrittenOnce) return steps.write()
  const keys = writeKeysOf(context.unit)
  if (keys === null || (steps.isSystem === true && keys.isGuest)) return steps.write()
  const turn = takeTurn(resource, context.unit)
  const work = () => {
    turn.begin()
    return writeWith({ key: keys.keyOf(resource, turn.position), content: keys.content }, steps)
  }
  return within({ isWrittenOnce: true }, () => inTransaction(work, steps.transaction)).catch(turn.fail)
}

async function writeWith<Result>(
  { key, content }: { key: Buffer; content: Buffer },
  { write, idsOf, repeat }: Write<Result>,
): Promise<Result> {
  if (await claimKey(key, content)) {
    const result = await write()
    await storeIds(key, idsOf(result))
    return result
  }
  const stored = await storedWrite(key)
  if (!stored.content.equals(content)) throw new HttpError(422, 'idempotency_key_reused')
  return repeat(stored.ids)
}

/**
 * Returns the position of a write among the request's writes of this resource, by which an equal request finds it. A write
 * that was rolled back has none, because the handler may try again.
 */
function takeTurn(resource: Resource, unit: Unit) {
  const all = (unit.keyedWrites ??= [])
  const earlier = all.filter((turn) => turn.resource === resource && turn.transaction?.isRolledBack !== true)
  const turn: KeyedWrite = { resource, transaction: null }
  all.push(turn)
  return {
    position: earlier.length,
    begin: () => void (turn.transaction = databaseContext().transaction),
    // An error of `afterCommit` is thrown after the commit, so the state of the transaction counts.
    fail: (error: unknown): never => {
      turn.transaction ??= { isRolledBack: true }
      throw error
    },
  }
}

/** Returns the path without the slash at its end, because routes ignore that slash. */
const pathOf = ({ baseUrl, path }: Request) => (baseUrl + path).replace(/\/$/, '')

/** The key of a request, for its writes. */
interface WriteKeys {
  /** Identifies the write at this position among the request's writes of the resource. */
  keyOf(resource: Resource, position: number): Buffer
  /** The digest of the request's query and body. */
  readonly content: Buffer
  /** Whether the caller has no session. */
  readonly isGuest: boolean
}

/**
 * Returns the key of a request for the writes of its unit. Null without a key, and until the caller is known. Throws
 * `BadRequest` for a malformed key. The values of a form are part of its key: a form that was changed after going back is a
 * new submission. A header with another body is an error of the client.
 */
function writeKeysOf(unit: Unit): WriteKeys | null {
  const req = unit.cause.request
  if (req === undefined || unit.caller === undefined || !hasRequestKey(req)) return null
  const { userId, tenant } = unit.caller
  const { kind, value, content } = (unit.requestKey ??= requestKey(req))
  if (kind === 'header' && userId === null) throw new BadRequest(GUEST)
  const caller = tenant === null ? [userId, pathOf(req)] : [userId, pathOf(req), tenant]
  const request = [...caller, kind, value, kind === 'form' ? content.toString('base64') : '']
  return {
    keyOf: ({ name }, position) => digestOf([...request, name, position]),
    content,
    isGuest: userId === null,
  }
}

const GUEST = 'The header Idempotency-Key needs a session. Sign in, or send the request without this header.'
