import { type AnyPage, isCapped, lastPage, pageBefore } from './page.ts'
import { openWindow, pageWindow } from './page-window.ts'
import { wording } from './pager-labels.ts'
import {
  elementId,
  type HxAttributes,
  inheritedAttributes,
  linksBy,
  type PagerEnd,
  type PagerLink,
  type PagerOptions,
} from './pager-links.ts'

type PagerSlot =
  | (PagerLink & {
      readonly number: number
      readonly text: string
      readonly label: string
      readonly current: boolean
    })
  | { readonly gap: string }

export interface PagerModel {
  readonly id: string
  readonly label: string
  /** The htmx attributes that the links of the slots inherit. Empty without `hxTarget`. */
  readonly hx: HxAttributes
  readonly previous: PagerEnd
  readonly next: PagerEnd
  readonly slots: readonly PagerSlot[]
  /** The text of the last page, which narrow screens show beside the current one. Null without a count. */
  readonly last: string | null
}

/** Returns the template data of a pager. Throws if `basePath` leads to another site, or if `window` is negative. */
export function pagerModel(page: AnyPage, options: PagerOptions): PagerModel {
  const words = wording(options)
  const { label = words.pagination, omitFirstPage = false } = options
  const toPage = linksBy('page', options)
  const link = (number: number) => toPage(number === 1 && omitFirstPage ? null : String(number))
  const last = lastPage(page)
  const textOf = (number: number) =>
    number === last && isCapped(page) ? words.capped(words.number(number)) : words.number(number)
  return {
    id: elementId(label),
    label,
    hx: inheritedAttributes(options),
    previous: { text: words.previous, link: page.has_previous ? link(pageBefore(page)) : null },
    next: { text: words.next, link: page.has_next ? link(page.page + 1) : null },
    last: last === null ? null : textOf(last),
    slots: windowOf(page, options.window).map((slot) => {
      if (slot === 'more') return { gap: words.more }
      if ('gap' in slot) return { gap: words.gap(words.number(slot.gap[0]), words.number(slot.gap[1])) }
      const { page: number } = slot
      const text = textOf(number)
      return { ...link(number), number, text, label: words.page(text), current: number === page.page }
    }),
  }
}

function windowOf(page: AnyPage, around?: number) {
  const last = lastPage(page)
  if (last !== null) return pageWindow(page.page, last, around)
  // A page beyond the end is empty and has no link. The page before it may be the last one.
  const isBeyond = page.page > 1 && page.content.length === 0
  return openWindow(isBeyond ? page.page - 1 : page.page, page.has_next, around)
}
