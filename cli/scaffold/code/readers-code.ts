import { closedWords } from './code.ts'
import type { Model } from '../model.ts'

/** Who reads, as the HTTP test says it: guests, then members or strangers and owners, then admins. */
export function readersData(model: Model) {
  const { owner, readers } = model
  const when = typeof readers === 'object' ? readers.when : null
  const shows = showsTo(model)
  // Where pages need a session, guests are sent to sign in.
  const refusals = shows.map((_, at) => (at === 0 && readers === 'members' ? 303 : 404))
  return {
    hidden: when === null ? '' : `{ ${when.column}: false }`,
    listedTo: shows.join(', '),
    shownTo: shows.map((may, at) => (may ? 200 : refusals[at])).join(', '),
    /** Whether some of those who ask see less than others. */
    telling: when !== null || (owner !== null && readers === 'members'),
    readersSentence: (verb: 'lists' | 'is shown') => sentenceOf(model, verb),
  }
}

function showsTo({ owner, readers }: Model): boolean[] {
  if (readers === 'everybody') return owner ? [true, true, true, true] : [true, true, true]
  if (owner) return [false, false, true, true]
  return typeof readers === 'object' ? [false, false, true] : [false, true, true]
}

function sentenceOf({ names, owner, readers }: Model, verb: 'lists' | 'is shown'): string {
  const closed = typeof readers === 'object' ? closedWords(readers.when) : null
  const to = whom({ owner, readers })
  if (verb === 'lists') return `lists ${closed?.object ?? names.humans} ${to}`
  return closed ? `is shown ${closed.manner} ${to}` : `is shown ${to}`
}

function whom({ owner, readers }: Pick<Model, 'owner' | 'readers'>): string {
  if (readers === 'everybody') return 'to everybody'
  if (owner) return 'to the owner and to admins alone'
  return typeof readers === 'object' ? 'to admins alone' : 'to who signed in'
}
