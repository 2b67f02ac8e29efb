import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Whether an error is about a text that has no properties of a record. */
export const isAboutText = (error: string): boolean => error.includes("does not exist on type 'string'")

/** Returns a loop over the keys of a value, if TypeScript found that its variable is a text. */
export function keysOfRecords({ parts }: ViewSource, errors: readonly string[]): Mistake[] {
  if (!errors.some(isAboutText)) return []
  return parts
    .filter((part) => part?.kind === 'code' && /\bfor \((?:const|let) \w+ in\b/.test(part.code))
    .map((part) => ({
      start: part?.start ?? 0,
      message: 'for … in gives the keys as texts. Write for … of.',
    }))
}

/** Returns the links of a mail that begin at the root: its reader has no page that they belong to. */
export const localLinks = ({ source }: ViewSource): Mistake[] =>
  [...source.matchAll(/\bhref(?:="|: ')\/(?!\/)/g)].map(({ index: start }) => ({
    start,
    message: 'A mail needs the whole address: pass absoluteUrl(req, …) in its data.',
  }))
