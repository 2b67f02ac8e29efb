import { currentPlace, type OpenTransaction } from '../database/executor.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { DraftOf, VerbOf } from './policy.ts'

declare const decidedOn: unique symbol

/**
 * A row on which the policy allowed `Action`. The repository also checks this at run time, so that a cast doesn't
 * get past it.
 */
export type Authorized<Action extends string, R extends Resource> = RowOf<R> & {
  readonly [decidedOn]: Action
}

/** The values of a new record that the policy allowed to be created. `insert` accepts each draft once. */
export type AuthorizedDraft<R extends Resource> = DraftOf<R> & { readonly [decidedOn]: 'create' }

/** Verbs that a policy adds to the standard four: publish, archive, purge … */
export type AddedVerb<R extends Resource> = Exclude<VerbOf<R>, 'show' | 'create' | 'update' | 'delete'>

export interface Proof {
  readonly resource: Resource
  readonly action: string
  /** Null for a draft. */
  readonly id: RecordId | null
  readonly version: string | null
  /** Asks the same question about a newer version of the row; throws `Denied`. */
  readonly askAgain: (row: object) => Promise<void>
  /** Asks whether the row may become what these changes make of it; throws `Denied`. */
  readonly askBecome: (row: object, changes: object) => Promise<void>
}

interface KeptProof extends Proof {
  /** The request, task or test in which it was asked. */
  readonly unit: object | undefined
}

// Kept apart from the row, so that neither a copy nor a cast carries it.
const proofs = new WeakMap<object, KeptProof[]>()

export function prove(record: object, proof: Proof): void {
  proofs.set(record, [...(proofs.get(record) ?? []), { ...proof, unit: currentPlace()?.unit }])
}

/** The transaction in which each was stored, where there was one. */
const stored = new WeakMap<object, OpenTransaction | null>()

/** A draft is stored once; again only where the first time was taken back. */
export function useUp(draft: object): void {
  stored.set(draft, currentPlace()?.transaction ?? null)
}

const isUsedUp = (record: object): boolean => stored.has(record) && stored.get(record)?.isTakenBack !== true

const pinned = new WeakSet<object>()

/** The caller said that this is the version they saw: it is written so, or not at all. */
export function pin(row: object): void {
  pinned.add(row)
}

export const isPinned = (row: object): boolean => pinned.has(row)

/**
 * The proof that one of these actions was allowed on this very object, for whoever asks now; undefined when nobody
 * decided. A row that outlives its request, in a cache say, takes no proof along.
 */
export function proofOf(record: object, resource: Resource, actions: readonly string[]): Proof | undefined {
  if (isUsedUp(record)) return undefined
  const unit = currentPlace()?.unit
  return proofs
    .get(record)
    ?.find((proof) => proof.unit === unit && proof.resource === resource && actions.includes(proof.action))
}
