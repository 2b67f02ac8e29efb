import type { CursorPage } from './cursor-page.ts'
import { wording } from './pager-labels.ts'
import { type HxAttributes, linksBy, type PagerOptions, type Swap } from './pager-links.ts'

export interface LoadMoreOptions extends Omit<PagerOptions, keyof Swap> {
  /** The id of the list element that contains the items. The response must contain this element too. */
  readonly list: string
  /** Loads the next items when the user scrolls to the link. Users can then hardly reach a footer below the list. */
  readonly auto?: boolean
}

/**
 * Returns the template data of the link that loads the next items. The link is the last element of the list, and the
 * next items replace it together with a new link, if more items follow. Returns null on the last page. The URL in the
 * browser doesn't change, because the URL of the next items shows only those.
 *
 * `problem` is the id of the element that shows the error if loading fails. `hx` contains the htmx attributes of the
 * element around the link, and is empty unless `auto` is true.
 */
export function loadMoreModel(page: CursorPage<unknown>, options: LoadMoreOptions) {
  const { list, auto = false } = options
  const id = `${list}-more`
  if (page.next_cursor === null) return null
  const problem = `${id}-problem`
  const swap = {
    hxTarget: `#${id}`,
    hxSelect: `#${list} > *`,
    hxSwap: 'outerHTML',
    hxPushUrl: false,
    // After an error, the loaded items and the link remain, so that the user can retry.
    hxError: `target:#${problem} select:#problem-text swap:innerHTML`,
  }
  const link = linksBy('cursor', { ...options, ...swap })(page.next_cursor)
  // A click replaces an automatic request that is still running, so that no item is added twice.
  const reveal: HxAttributes = [
    ...link.hx.filter(([name]) => name !== 'hx-sync'),
    ['hx-sync', `#${id}:drop`],
    ['hx-trigger', 'revealed'],
  ]
  return { id, problem, text: wording(options).loadMore, link, hx: auto ? reveal : [] }
}
