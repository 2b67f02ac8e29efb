import {
  type Authorized,
  type AuthorizedDraft,
  type DeletingVerb,
  type Proof,
  proofOf,
  type UpdatingVerb,
} from '../authorization/proof.ts'
import { loadRow, originOf, readRow } from '../database/rows.ts'
import { deleteFrom, hasVersion, insertInto, rowVersion, updateTable } from '../database/statements.ts'
import { Conflict, NotFound } from '../http/errors.ts'
import type { ChangesOf, Resource, RowOf } from '../resource/resource.ts'

/** Writes of records on which a policy said yes. Each throws before any SQL is sent when nobody decided. */
export interface DecidedWrites<R extends Resource> {
  /** Stores the draft that `authorizeRecord(req, 'create', …)` gave. */
  insert(draft: AuthorizedDraft<R>): Promise<RowOf<R>>
  /**
   * Writes these columns of the row version that was decided on. When it changed meanwhile the policy is asked again,
   * once: then `NotFound`, `Denied` or `Conflict`.
   */
  update(row: Authorized<UpdatingVerb<R>, R>, changes: ChangesOf<R>): Promise<RowOf<R>>
  /** Deletes the row version that was decided on, under the same rule. */
  delete(row: Authorized<DeletingVerb<R>, R>): Promise<void>
}

export function decidedWrites<R extends Resource>(resource: R): DecidedWrites<R> {
  return {
    async insert(draft) {
      requireProof(draft, resource, 'create')
      const stored = await insertInto(resource)
        .values({ ...draft })
        .returningAll()
        .returning(rowVersion)
        .executeTakeFirstOrThrow()
      return readRow(resource, stored)
    },
    async update(row, changes) {
      const proof = requireProof(row, resource, 'update')
      refuseImmutable(resource, changes)
      if (Object.keys(changes).length === 0) return row
      const stored = await writeDecided(proof, (id, version) =>
        updateTable(resource)
          .set(changes)
          .where('id', '=', id)
          .where(hasVersion(version))
          .returningAll()
          .returning(rowVersion)
          .executeTakeFirst(),
      )
      return readRow(resource, stored)
    },
    async delete(row) {
      await writeDecided(requireProof(row, resource, 'delete'), (id, version) =>
        deleteFrom(resource)
          .where('id', '=', id)
          .where(hasVersion(version))
          .returning('id')
          .executeTakeFirst(),
      )
    },
  }
}

const STANDARD = new Set(['show', 'create', 'update', 'delete'])

/** A verb of the application's own (publish, archive) may end in an update or a delete; `show` never does. */
function requireProof(record: object, resource: Resource, write: 'create' | 'update' | 'delete'): Proof {
  const proof = proofOf(
    record,
    resource,
    (action) => action === write || (write !== 'create' && !STANDARD.has(action)),
  )
  if (proof !== undefined) return proof
  throw new Error(
    `Nobody decided on '${write}' of this ${resource.name}. Take it from record(req, ${resource.name}, '${write}'), ` +
      `or from await authorizeRecord(req, '${write}', ${resource.name}, …).`,
  )
}

function refuseImmutable(resource: Resource, changes: object): void {
  const column = Object.keys(changes).find((name) => resource.immutable.includes(name))
  if (column !== undefined)
    throw new Error(`${resource.name}.${column} is immutable and can't be part of an update.`)
}

type Write<Result> = (id: number, version: string) => Promise<Result | undefined>

// The version makes decision and write one: a row that was given away after the policy said yes is not written.
async function writeDecided<Result>(proof: Proof, write: Write<Result>): Promise<Result> {
  const { resource, id, version } = proof
  if (id === null || version === null)
    throw new Error(`A draft of ${resource.name} has to be inserted first.`)
  const written = await write(id, version)
  if (written !== undefined) return written
  const newer = await loadRow(resource, id)
  if (newer === null) throw new NotFound()
  await proof.askAgain(newer)
  const again = await write(id, originOf(resource, newer)?.version ?? '')
  if (again === undefined) throw new Conflict()
  return again
}
