import type { Request } from 'express'
import { sql } from 'kysely'
import { authorizeRecord, Denied, InUse, NotFound, policyContext, type Repository } from 'pergola'
import { resourcesOf } from '#app/config-of.ts'
import { formError } from './form-error.ts'

/** The most records that a request deletes or hands over. */
const MAX_RECORDS = 1_000

/** The records of a resource that belong to a user. */
export interface Remaining {
  readonly repository: Repository
  /** The column of the owner. */
  readonly owner: string
  /** The records in words: `support tickets`. */
  readonly label: string
  readonly count: number
}

/** Returns the records that belong to a user and that the caller sees, by resource. Those that refer to others come first. */
export async function remainingRecords(req: Request, userId: number): Promise<Remaining[]> {
  const remaining: Remaining[] = []
  for (const repository of childrenFirst(resourcesOf(req).map((one) => one.repository as Repository))) {
    const { owner, table } = repository.resource
    if (owner === null || repository.options.scope === undefined) continue
    const count = await (await seenBy(req, repository)).count({ where: ownedBy(userId, owner) })
    if (count > 0) remaining.push({ repository, owner, label: table.replaceAll('_', ' '), count })
  }
  return remaining
}

/** Returns the lists of the caller, with the trash: a row in it still refers to its owner. */
async function seenBy(req: Request, repository: Repository) {
  const lists = repository.visibleTo(await policyContext(req)) as ReturnType<Repository['visibleTo']> & {
    withTrashed?: () => ReturnType<Repository['visibleTo']>
  }
  return lists.withTrashed?.() ?? lists
}

/** Returns the repositories in an order in which those that refer to another one come before it. */
function childrenFirst(all: readonly Repository[]): Repository[] {
  const [sorted, seen] = [new Array<Repository>(), new Set<Repository>()]
  const add = (repository: Repository): void => {
    if (seen.has(repository)) return
    seen.add(repository)
    for (const other of all)
      if (Object.values(other.resource.references).includes(repository.resource)) add(other)
    sorted.push(repository)
  }
  all.forEach(add)
  return sorted
}

/**
 * Deletes the records of a user for good, each if its policy allows it. Throws `Invalid` if one of them is refused or in
 * use, or if there are more than 1,000. Call it in a transaction.
 */
export const deleteRecords = (req: Request, userId: number): Promise<void> =>
  eachRecord(req, userId, 'delete', async ({ repository }, row) => {
    const allowed = await authorized(req, 'delete', repository, row)
    if (repository.resource.managed.softDelete) await systemOf(repository).purge?.(row.id)
    else await repository.delete(allowed as never)
  })

/**
 * Gives the records of a user to another one, each if its policy allows the update. Throws like `deleteRecords`. The write
 * is one of the system: no update of a user may change the owner.
 */
export const handOver = (req: Request, userId: number, heir: number): Promise<void> =>
  eachRecord(req, userId, 'update', async ({ repository, owner }, row) => {
    await authorized(req, 'update', repository, row)
    const system = systemOf(repository)
    // Only rows outside of the trash can be updated.
    if (isTrashed(row)) await system.restore?.(row.id)
    await system.update(row.id, { [owner]: heir })
    if (isTrashed(row)) await system.delete(row.id)
  })

interface OwnedRow {
  readonly id: never
  readonly deleted_at?: string | null
}

const isTrashed = ({ deleted_at = null }: OwnedRow): boolean => deleted_at !== null

/** Asks the policy. About a row in the trash, it decides only whether the row may be restored. */
const authorized = (req: Request, action: 'update' | 'delete', { resource }: Repository, row: OwnedRow) =>
  authorizeRecord(req, (isTrashed(row) ? 'restore' : action) as typeof action, resource, row as never)

interface Trash {
  purge?: (id: never) => Promise<unknown>
  restore?: (id: never) => Promise<unknown>
}

const systemOf = (repository: Repository) =>
  repository.asSystem('the owner is deleted') as ReturnType<Repository['asSystem']> & Trash

async function eachRecord(
  req: Request,
  userId: number,
  action: 'update' | 'delete',
  change: (remaining: Remaining, row: OwnedRow) => Promise<unknown>,
): Promise<void> {
  const all = await remainingRecords(req, userId)
  if (all.reduce((sum, { count }) => sum + count, 0) > MAX_RECORDS)
    throw formError('There are more than 1,000 records. Delete or change most of them first.')
  for (const remaining of all) {
    const rows = await seenBy(req, remaining.repository)
    for await (const row of rows.findEach(100, { where: ownedBy(userId, remaining.owner) }))
      await change(remaining, row as OwnedRow).catch((error: unknown) =>
        rethrow(error, `${remaining.label}. Nothing was changed.`, action),
      )
  }
}

/** Accepts that a record was deleted meanwhile. */
function rethrow(error: unknown, which: string, action: string): void {
  if (error instanceof NotFound) return
  if (error instanceof Denied) throw formError(`The policy does not let you ${action} all of the ${which}`)
  if (error instanceof InUse) throw formError(`Other records refer to some of the ${which}`)
  throw error
}

const ownedBy = (userId: number, owner: string) => () => sql<boolean>`${sql.ref(owner)} = ${userId}`
