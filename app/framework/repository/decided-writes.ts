import {
  type AddedVerb,
  type Authorized,
  type AuthorizedDraft,
  type Proof,
  proofOf,
  useUp,
} from '../authorization/proof.ts'
import { loadRow, originOf } from '../database/rows.ts'
import { deleteRow, insertRow, updateRow } from '../database/storage.ts'
import { Conflict, NotFound } from '../http/errors.ts'
import type { ChangesOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'

/** Writes of records on which a policy said yes. Each throws before any SQL is sent when nobody decided. */
export interface DecidedWrites<R extends Resource> {
  /** Stores the draft that `authorizeRecord(req, 'create', …)` gave, once. */
  insert(draft: AuthorizedDraft<R>): Promise<RowOf<R>>
  /**
   * Writes these columns of the row version that was decided on. When it changed meanwhile the policy is asked again,
   * once: then `NotFound`, `Denied` or `Conflict`.
   */
  update(row: Authorized<'update' | AddedVerb<R>, R>, changes: ChangesOf<R>): Promise<RowOf<R>>
  /** Deletes the row version that was decided on, under the same rule. */
  delete(row: Authorized<'delete' | AddedVerb<R>, R>): Promise<void>
}

/** Which of a policy's own verbs end in which write. One that is not listed writes nothing. */
export interface WritingVerbs<R extends Resource> {
  updatedBy?: readonly AddedVerb<R>[]
  deletedBy?: readonly AddedVerb<R>[]
}

export function decidedWrites<R extends Resource>(resource: R, verbs: WritingVerbs<R>): DecidedWrites<R> {
  const updating: readonly string[] = ['update', ...(verbs.updatedBy ?? [])]
  const deleting: readonly string[] = ['delete', ...(verbs.deletedBy ?? [])]
  return {
    async insert(draft) {
      requireProof(draft, resource, ['create'])
      useUp(draft)
      return insertRow(resource, draft as NewRowOf<R>)
    },
    async update(row, changes) {
      const proof = requireProof(row, resource, updating)
      if (Object.keys(changes).length === 0) return row
      // As it is now: a rule may take its time, and whoever holds the object could change it meanwhile.
      const stored = Object.freeze({ ...changes }) as ChangesOf<R>
      const ask = (version: object) => proof.askBecome(version, stored)
      await ask(row)
      return writeDecided(proof, { ask, write: (target) => updateRow(resource, target, stored) })
    },
    async delete(row) {
      const proof = requireProof(row, resource, deleting)
      await writeDecided(proof, { write: async (target) => (await deleteRow(resource, target)) || null })
    },
  }
}

function requireProof(record: object, resource: Resource, actions: readonly string[]): Proof {
  const proof = proofOf(record, resource, actions)
  if (proof !== undefined) return proof
  const [action] = actions
  throw new Error(
    `Nobody decided on '${action}' of this ${resource.name}. Take it from record(req, ${resource.name}, '${action}'), ` +
      `or from await authorizeRecord(req, '${action}', ${resource.name}, …).`,
  )
}

interface Write<Result> {
  write: (target: { id: number; version: string }) => Promise<Result | null>
  /** Whether a newer version of the row may still be written so; throws `Denied`. */
  ask?: (newer: object) => Promise<void>
}

// The version makes decision and write one: a row that was given away after the policy said yes is not written.
async function writeDecided<Result>(proof: Proof, { write, ask }: Write<Result>): Promise<Result> {
  const { resource, id, version } = proof
  if (id === null || version === null)
    throw new Error(`A draft of ${resource.name} has to be inserted first.`)
  const written = await write({ id, version })
  if (written !== null) return written
  const newer = await loadRow(resource, id)
  if (newer === null) throw new NotFound()
  await proof.askAgain(newer)
  await ask?.(newer)
  const again = await write({ id, version: originOf(resource, newer)?.version ?? '' })
  if (again === null) throw new Conflict()
  return again
}
