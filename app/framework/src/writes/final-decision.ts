import { authorizeAgain, NeedsTransaction } from '../policy/decisions.ts'
import type { RecordedDecision } from '../policy/record-state.ts'
import { databaseContext } from '../database/executor.ts'
import { isStalePlan, SqlState, sqlState } from '../database/sql-states.ts'
import { lockById } from '../rows/storage.ts'
import { inTransaction } from '../database/transaction.ts'

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
