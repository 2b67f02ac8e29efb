import { closedWords } from './snippets.ts'
import type { Model } from '../model.ts'

/** Returns whether guests can read some of the records. */
export const isOpen = ({ readers, parent, within = parent }: Model): boolean =>
  within ? isOpen(within.model) : readers !== 'members'

export const ownerOf = ({ owner, within }: Model): Model['owner'] => (within ? ownerOf(within.model) : owner)

/** Returns the users who can read the records of the HTTP test. The factory creates public ones. */
export function audienceOf({ owner, readers, editors, within }: Model): 'everybody' | 'signed-in' | 'owner' {
  if (within) return audienceOf(within.model)
  return readers !== 'members' ? 'everybody' : owner || editors ? 'owner' : 'signed-in'
}

/** Returns the expected responses for each reader of the HTTP test: guest, member (or stranger and owner), admin. */
export function readersData(model: Model) {
  const { owner, readers } = model
  const when = typeof readers === 'object' ? readers.when : null
  const audience = when ? 'owner' : audienceOf(model)
  const shows = [audience === 'everybody', audience !== 'owner', ...(owner ? [true] : []), true]
  return {
    hidden: when === null ? '' : `{ ${when.column}: false }`,
    listedTo: shows.join(', '),
    // If pages need a session, guests are redirected to the sign-in page.
    shownTo: shows.map((may, at) => (may ? 200 : at === 0 && !isOpen(model) ? 303 : 404)).join(', '),
    /** Whether some callers see fewer records than others. */
    telling: when !== null || (ownerOf(model) !== null && audience === 'owner'),
    readersSentence: (verb: 'lists' | 'shows') =>
      `${verb} ${when ? closedWords(when).object : model.names.humans} ${readersOf(model)}`,
  }
}

/** Returns the values of a record that only some readers see; null if all readers see the same records. */
export function parityOf(model: Model): string | null {
  const { hidden, telling } = readersData(model)
  const { owner, readers, editors } = model
  if (readers === 'everybody' || !(telling || editors)) return null
  const edited = editors ? [`${editors.column}: [${owner ? 'stranger' : 'member'}.user.id]`] : []
  const values = [...(hidden === '' ? [] : [hidden.slice(2, -2)]), ...edited]
  return values.length === 0 ? '' : `{ ${values.join(', ')} }`
}

function readersOf({ owner, readers, editors, within }: Model): string {
  if (within) return `to the users who see the ${within.model.names.human}`
  if (readers === 'everybody') return 'to everyone'
  if (owner) return 'only to the owner and admins'
  return typeof readers === 'object' || editors ? 'only to admins' : 'only to signed-in users'
}
