import { added, type Differences, gone, none, together } from './differences.ts'
import type { ResourceEntry } from './schema.ts'

/** Compares the columns that clients may write and see, apart from the policy. */
export function compareColumns(old: ResourceEntry, now: ResourceEntry): Differences {
  const { resource } = now
  return together([
    opening(old.input, now.input, {
      more: (column) => `${resource}.${column} may now be written by clients.`,
      less: (column) => `${resource}.${column} may no longer be written by clients.`,
    }),
    opening(old.updated_by, now.updated_by, {
      more: (verb) => `Who may ${verb} a ${resource} may now update it.`,
      less: (verb) => `Who may ${verb} a ${resource} may no longer update it for that.`,
    }),
    opening(old.deleted_by, now.deleted_by, {
      more: (verb) => `Who may ${verb} a ${resource} may now delete it.`,
      less: (verb) => `Who may ${verb} a ${resource} may no longer delete it for that.`,
    }),
    // Reversed: hidden, immutable and checked columns restrict access.
    opening(now.hidden, old.hidden, {
      more: (column) => `${resource}.${column} is no longer hidden.`,
      less: (column) => `${resource}.${column} is now hidden.`,
    }),
    opening(now.immutable, old.immutable, {
      more: (column) => `${resource}.${column} is no longer immutable.`,
      less: (column) => `${resource}.${column} is now immutable.`,
    }),
    opening(referencesOf(now), referencesOf(old), {
      more: (reference) => `${resource}.${reference} is no longer checked.`,
      less: (reference) => `${resource}.${reference} is now checked.`,
    }),
    compareOwner(old, now),
  ])
}

interface Sentences {
  readonly more: (name: string) => string
  readonly less: (name: string) => string
}

/** Compares names that give access: each new one is wider. */
const opening = (old: readonly string[], now: readonly string[], { more, less }: Sentences): Differences =>
  none({ wider: added(old, now).map(more), narrower: gone(old, now).map(less) })

const referencesOf = ({ references }: ResourceEntry): string[] =>
  Object.entries(references).map(([column, target]) => `${column} as a reference to ${target}`)

function compareOwner(old: ResourceEntry, now: ResourceEntry): Differences {
  if (old.owner === now.owner) return none()
  const { resource } = now
  if (old.owner === null) return none({ narrower: [`${resource} now has an owner: ${now.owner}.`] })
  return none({
    wider: [
      now.owner === null
        ? `${resource} no longer has an owner; it was ${old.owner}.`
        : `${resource}'s owner is now ${now.owner}; it was ${old.owner}.`,
    ],
  })
}
