import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Returns the links of a mail that begin at the root: its reader has no page that they belong to. */
export const localLinks = ({ source }: ViewSource): Mistake[] =>
  [...source.matchAll(/\bhref(?:="|: ')\/(?!\/)/g)].map(({ index: start }) => ({
    start,
    message: 'A mail needs the whole address: pass absoluteUrl(req, …) in its data.',
  }))
