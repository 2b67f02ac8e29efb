import { added, type Differences, gone, none, together } from './differences.ts'
import type { ResourceEntry } from './schema.ts'

/** Compares the columns that clients can write and see, and the actions that also allow an update or a delete. */
export function compareColumns(old: ResourceEntry, now: ResourceEntry): Differences {
  const { resource } = now
  return together([
    opening(old.input, now.input, {
      more: (column) => `Clients can now write ${resource}.${column}.`,
      less: (column) => `Clients can no longer write ${resource}.${column}.`,
    }),
    opening(old.updated_by, now.updated_by, {
      more: (verb) => `Users who can ${verb} a ${resource} can now also update it.`,
      less: (verb) => `The permission to ${verb} a ${resource} no longer includes updating it.`,
    }),
    opening(old.deleted_by, now.deleted_by, {
      more: (verb) => `Users who can ${verb} a ${resource} can now also delete it.`,
      less: (verb) => `The permission to ${verb} a ${resource} no longer includes deleting it.`,
    }),
    opening(old.shown, now.shown, {
      more: (column) => `Rows of ${resource} now contain ${column}.`,
      less: (column) => `Rows of ${resource} no longer contain ${column}.`,
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
    compareTenant(old, now),
  ])
}

interface Sentences {
  readonly more: (name: string) => string
  readonly less: (name: string) => string
}

/** Compares names that grant access. A new name counts as wider, a removed name as narrower. */
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

function compareTenant(old: ResourceEntry, now: ResourceEntry): Differences {
  if (old.tenant === now.tenant) return none()
  const { resource } = now
  if (old.tenant === null) return none({ narrower: [`${resource} now has a tenant: ${now.tenant}.`] })
  return none({
    wider: [
      now.tenant === null
        ? `${resource} no longer has a tenant; it was ${old.tenant}.`
        : `${resource}'s tenant is now ${now.tenant}; it was ${old.tenant}.`,
    ],
  })
}
