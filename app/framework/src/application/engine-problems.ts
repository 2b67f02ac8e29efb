import type { Kysely } from 'kysely'
import { type Capabilities, capabilitiesOf } from '../database/capabilities.ts'
import type { AnyRepository } from '../repository/repository.ts'
import type { Tables } from '../resource/tables.ts'
import type { DeclaredResource } from './declared-resources.ts'

/** A capability that a database lacks, and what to do about it: two sentences. */
export interface EngineProblem {
  readonly problem: string
  readonly remedy: string
}

/**
 * Returns the capabilities of Postgres that this database lacks, such as advisory locks. Sends no statement: the check of
 * the first session reads them, so call it after a statement.
 */
export function engineProblems(declared: readonly DeclaredResource[], db: Kysely<Tables>): EngineProblem[] {
  const capabilities = capabilitiesOf(db)
  const problems: EngineProblem[] = []
  const unversioned = declared.map(({ repository }) => repository).filter(isChangedWithoutVersion)
  if (!capabilities.acceptsWrites) problems.push(READ_ONLY)
  if (!capabilities.rowVersions && unversioned.length > 0)
    problems.push(noRowVersions(unversioned, capabilities))
  if (!capabilities.advisoryLocks) problems.push(NO_ADVISORY_LOCKS)
  if (!capabilities.transactionalSchema) problems.push(NO_TRANSACTIONAL_SCHEMA)
  if (!capabilities.orderedIds) problems.push(NO_ORDERED_IDS)
  if (capabilities.isolation !== 'read committed') problems.push(isStricter(capabilities.isolation))
  return problems
}

const READ_ONLY: EngineProblem = {
  problem: 'The database is read-only, as a standby is.',
  remedy: 'Let its URL lead to the primary, or make the database writable.',
}

const NO_ADVISORY_LOCKS: EngineProblem = {
  problem: 'The database has no advisory locks, which jobs, npx cli worker and npx cli db reset need.',
  remedy: 'Run the tasks with cron: npx cli task.',
}

const NO_TRANSACTIONAL_SCHEMA: EngineProblem = {
  problem: 'The database does not roll back changes of the schema, so a failed migration leaves what it did.',
  remedy: 'Keep migrations small. Undo a failed one by hand before you run it again.',
}

const NO_ORDERED_IDS: EngineProblem = {
  problem: 'The database assigns ids out of order, or ids above 2^53, which are errors.',
  remedy: 'Scaffold with --id uuid, and order lists by created_at.',
}

function noRowVersions(
  repositories: readonly AnyRepository[],
  { foreignTables }: Capabilities,
): EngineProblem {
  const reason = foreignTables
    ? 'The database has foreign tables, whose rows have no versions (xmin).'
    : 'The database has no row versions (xmin).'
  const names = repositories.map(({ resource }) => resource.name).join(', ')
  const column = 'a column `version integer not null default 1`'
  return {
    problem: `${reason} Concurrent edits are detected by a hash of the whole row: ${names}.`,
    remedy: foreignTables
      ? `Add ${column} on the servers of the foreign tables, then here in a migration, and declare version: true.`
      : `Add ${column} in a migration, and declare version: true.`,
  }
}

const isStricter = (isolation: string): EngineProblem => ({
  problem: `The default isolation of the database is ${isolation}. Statements that collide run again, up to three times.`,
  remedy: "For fewer collisions, set default_transaction_isolation to 'read committed' for the role.",
})

/** Without a policy, signed-in users may change the records of an API. */
function isChangedWithoutVersion({ resource, options }: AnyRepository): boolean {
  const { policy, updatedBy = [], deletedBy = [], actions } = options
  if (resource.managed.version) return false
  if (policy === undefined || actions || updatedBy.length > 0 || deletedBy.length > 0) return true
  return ['canUpdate', 'canDelete', 'canRestore'].some((rule) => rule in policy.rules)
}
