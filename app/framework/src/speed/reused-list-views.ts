import type { Eta } from 'eta'
import { type Name, renderListView } from '../http/views/list-views.ts'
import type { PagerLanguage } from '../pagination/pager-labels.ts'
import { memoize, weakMemoize } from '../resource/memoize.ts'

/** The number of texts that are kept. */
const TEXTS = 500
/** In characters. A pager repeats the query in each link, so a long one would make a text of 100 kB. */
const LONGEST_KEY = 600

/**
 * Returns the HTML of a partial for these arguments. Many requests show the same page numbers, headings and forms, so the
 * HTML of the last 500 arguments is reused, except in development. It is rendered from the JSON of the arguments, so that
 * it depends on nothing else.
 */
export function reusedListView(views: Eta, name: Name, args: readonly unknown[]): string {
  const key = views.config.cache ? keyOf(name, args) : null
  return key === null ? renderListView(views, name, args) : reusedText(views)(key)
}

/** Returns null for arguments that JSON can't contain: labels may be functions, and a filter may be a bigint. */
function keyOf(name: Name, args: readonly unknown[]): string | null {
  if ((args.at(-1) as PagerLanguage).labels !== undefined) return null
  try {
    const key = JSON.stringify([name, ...args])
    return key.length <= LONGEST_KEY ? key : null
  } catch {
    return null
  }
}

const reusedText = weakMemoize((views: Eta) =>
  memoize((key: string) => {
    const [name, ...args] = JSON.parse(key) as [Name, ...never[]]
    return renderListView(views, name, args)
  }, TEXTS),
)
