import type { CursorPage } from './cursor-page.ts'
import { wording } from './pager-labels.ts'
import { type HxAttributes, linksBy, type PagerLink, type PagerOptions } from './pager-links.ts'

export interface LoadMoreOptions extends Omit<
  PagerOptions,
  'hxTarget' | 'hxSwap' | 'hxSelect' | 'hxPushUrl' | 'hxError'
> {
  /** The id of the list whose children are the items; it has to be in the answer too. */
  readonly list: string
  /** Loads more when the user scrolls to the link. The footer below is then hard to reach. */
  readonly auto?: boolean
}

interface LoadMoreModel {
  readonly id: string
  /** The id of the element that shows why loading failed. */
  readonly problem: string
  readonly text: string
  readonly link: PagerLink
  /** Of the element around the link, which the next items replace; none unless it loads by itself. */
  readonly hx: HxAttributes
}

/**
 * The last element of a list, which the next items replace: they come with one of their own, if more follow. Null at
 * the end. The address stays: pushed, going back would show the last items alone.
 */
export function loadMoreModel(page: CursorPage<unknown>, options: LoadMoreOptions): LoadMoreModel | null {
  const { list, auto = false } = options
  const id = `${list}-more`
  if (page.next_cursor === null) return null
  const problem = `${id}-problem`
  const swap = {
    hxTarget: `#${id}`,
    hxSelect: `#${list} > *`,
    hxSwap: 'outerHTML',
    hxPushUrl: false,
    // After an error, the loaded items and the link stay, so that the user can retry.
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
