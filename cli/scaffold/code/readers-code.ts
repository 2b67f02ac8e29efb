import { closedWords } from './snippets.ts'
import type { Model } from '../model.ts'

/** Returns the expected responses for each reader of the HTTP test: guest, member (or stranger and owner), admin. */
export function readersData(model: Model) {
  const { owner, readers } = model
  const when = typeof readers === 'object' ? readers.when : null
  const shows = showsTo(model)
  // If pages need a session, guests are redirected to the sign-in page.
  const refusals = shows.map((_, at) => (at === 0 && readers === 'members' ? 303 : 404))
  return {
    hidden: when === null ? '' : `{ ${when.column}: false }`,
    listedTo: shows.join(', '),
    shownTo: shows.map((may, at) => (may ? 200 : refusals[at])).join(', '),
    /** Whether some callers see fewer records than others. */
    telling: when !== null || (owner !== null && readers === 'members'),
    readersSentence: (verb: 'lists' | 'shows') => sentenceOf(model, verb),
  }
}

function showsTo({ owner, readers }: Model): boolean[] {
  if (readers === 'everybody') return owner ? [true, true, true, true] : [true, true, true]
  if (owner) return [false, false, true, true]
  return typeof readers === 'object' ? [false, false, true] : [false, true, true]
}

function sentenceOf({ names, owner, readers }: Model, verb: 'lists' | 'shows'): string {
  const closed = typeof readers === 'object' ? closedWords(readers.when) : null
  return `${verb} ${closed?.object ?? names.humans} ${audience({ owner, readers })}`
}

function audience({ owner, readers }: Pick<Model, 'owner' | 'readers'>): string {
  if (readers === 'everybody') return 'to everyone'
  if (owner) return 'only to the owner and admins'
  return typeof readers === 'object' ? 'only to admins' : 'only to signed-in users'
}
