import { authorizeAgain, authorizeRow, NeedsTransaction } from '../policy/decisions.ts'
import { policyContext } from '../policy/policy-context.ts'
import { seenRecord } from '../policy/seen-record.ts'
import { requiresVersion, type RecordedDecision } from '../policy/recorded-decisions.ts'
import { databaseContext } from '../database/executor.ts'
import { isStalePlan, SqlState, sqlState } from '../database/sql-states.ts'
import { completeRow, loadRow, originOf } from '../rows/rows.ts'
import type { TrashFilter } from '../rows/statements.ts'
import { lockById, type Target } from '../rows/storage.ts'
import { Conflict, NotFound } from '../http/errors.ts'
import { inTransaction } from '../database/transaction.ts'
import { Stale } from './write-conflicts.ts'

/**
 * Calls `write`. If the rule may have read other rows, such as a membership, calls it in a transaction that first
 * decides again on the rows as they are now. Costs BEGIN, COMMIT, a lock of the record and the queries of the rule.
 */
export async function onFinalDecision<Result>(
  decision: RecordedDecision,
  record: object,
  write: () => Promise<Result>,
): Promise<Result> {
  if (decision.again === 'no') {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof NeedsTransaction)) throw error
      decision.again = 'locking'
    }
  }
  try {
    return await inFinalTransaction(decision, record, write)
  } catch (error) {
    const canRetry = decision.again === 'locking' && !databaseContext().db.isTransaction
    if (!canRetry || isStalePlan(error) || sqlState(error) !== SqlState.featureNotSupported) throw error
    // The rule reads what Postgres can't lock, such as a view with groups.
    decision.again = 'reading'
    return inFinalTransaction(decision, record, write)
  }
}

function inFinalTransaction<Result>(
  decision: RecordedDecision,
  record: object,
  write: () => Promise<Result>,
): Promise<Result> {
  return inTransaction(async () => {
    // First, so that two such writes of one record wait for each other here. Later, each would wait for the other's locks.
    if (decision.id !== null) await lockById(decision.resource, decision.id)
    await authorizeAgain(decision, record)
    return write()
  })
}

interface Decided {
  decision: RecordedDecision
  row: object
  /** The rows to search if the version has changed. */
  which?: TrashFilter
}

/** Writes this version of the row and returns the new row, or null if the stored row has another version. */
type Attempt<Row> = (version: object, target: Target) => Promise<Row | null>

/** Writes the version of the row that the policy decided on. Returns the written row as the caller sees it. */
export async function writeDecided<Row extends object>(
  decided: Decided,
  attempt: Attempt<Row>,
): Promise<Row> {
  const { decision, row } = decided
  return seenBy(decision, await onFinalDecision(decision, row, () => writeVersion(decided, attempt)))
}

export async function seenBy<Row extends object>(
  { req, resource }: RecordedDecision,
  row: Row,
): Promise<Row> {
  // The row may have changed since the first of the equal requests wrote it.
  if (originOf(resource, row)?.isRepeated) await authorizeRow(req, { action: 'show', resource, record: row })
  return seenRecord(await policyContext(req), resource, row)
}

// Writes only the version that the policy decided on: the owner of the row may have changed since the decision.
async function writeVersion<Row extends object>(decided: Decided, attempt: Attempt<Row>): Promise<Row> {
  const { decision, row, which = 'live' } = decided
  const { resource, id, version } = decision
  if (id === null || version === null)
    throw new Error(`This ${resource.name} is not stored yet. Insert it before you update or delete it.`)
  const written = await attempt(completeRow(row), { id, version })
  if (written !== null) return written
  const newer = await loadRow(resource, id, which)
  if (newer === null) throw new NotFound()
  await authorizeAgain(decision, newer)
  if (requiresVersion(row)) throw new Stale(await seenBy(decision, newer))
  const again = await attempt(newer, { id, version: originOf(resource, newer)?.version ?? '' })
  if (again === null) throw new Conflict()
  return again
}
