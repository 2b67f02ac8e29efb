import type { Request } from 'express'
import { sql } from 'kysely'
import { authorizeRecord, Denied, Invalid, policyContext, type Repository } from 'pergola'
import { resourcesOf } from '#app/config-of.ts'

/** The most records that a request deletes or hands over. */
const MOST = 1_000

/** The records of a resource that belong to a user. */
export interface Remaining {
  readonly repository: Repository
  /** The column of the owner. */
  readonly owner: string
  /** The records in words: `posts`. */
  readonly label: string
  readonly count: number
}

/** Returns the records that belong to a user and that the caller sees, by resource. */
export async function remainingRecords(req: Request, userId: number): Promise<Remaining[]> {
  const ctx = await policyContext(req)
  const remaining: Remaining[] = []
  for (const declared of resourcesOf(req)) {
    const repository = declared.repository as Repository
    const { owner, table } = repository.resource
    if (owner === null || repository.options.scope === undefined) continue
    const count = await repository.visibleTo(ctx).count({ where: ownedBy(userId, owner) })
    if (count > 0) remaining.push({ repository, owner, label: table.replaceAll('_', ' '), count })
  }
  return remaining
}

/**
 * Deletes the records of a user, each if its policy allows it. Throws `Invalid` if one of them is refused, or if there are more than 1,000. Call it in a
 * transaction.
 */
export const deleteRecords = (req: Request, userId: number): Promise<void> =>
  eachRecord(req, userId, 'delete', async ({ repository }, row) =>
    repository.delete(await authorizeRecord(req, 'delete', repository.resource, row as never)),
  )

/**
 * Gives the records of a user to another one, each if its policy allows the caller to update it. Throws like `deleteRecords`. The write is one of the system,
 * because no policy lets an update change the owner, unless it has `canBecome`.
 */
export const handOver = (req: Request, userId: number, heir: number): Promise<void> =>
  eachRecord(req, userId, 'update', async ({ repository, owner }, row) => {
    await authorizeRecord(req, 'update', repository.resource, row as never)
    const { id } = row as { id: never }
    await repository.asSystem('handed over with a deleted account').update(id, { [owner]: heir })
  })

async function eachRecord(
  req: Request,
  userId: number,
  action: 'update' | 'delete',
  change: (remaining: Remaining, row: object) => Promise<unknown>,
): Promise<void> {
  const ctx = await policyContext(req)
  const all = await remainingRecords(req, userId)
  if (all.reduce((sum, { count }) => sum + count, 0) > MOST)
    throw refused('There are more than 1,000 records. Delete or change most of them first.')
  for (const remaining of all) {
    const rows = remaining.repository.visibleTo(ctx)
    try {
      for await (const row of rows.findEach(100, { where: ownedBy(userId, remaining.owner) }))
        await change(remaining, row)
    } catch (error) {
      if (!(error instanceof Denied)) throw error
      throw refused(
        `The policy does not let you ${action} all of the ${remaining.label}. Nothing was changed.`,
      )
    }
  }
}

const ownedBy = (userId: number, owner: string) => () => sql<boolean>`${sql.ref(owner)} = ${userId}`

const refused = (message: string) => new Invalid([{ field: '', messages: [message] }])
