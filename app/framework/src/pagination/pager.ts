import { type AnyPage, isCapped, lastPage, pageBefore } from './page.ts'
import { openWindow, pageWindow } from './page-window.ts'
import { wording } from './pager-labels.ts'
import { elementId, inheritedAttributes, linksBy, type PagerOptions } from './pager-links.ts'

/** Returns the template data of a pager. Throws if `basePath` leads to another site, or if `window` is negative. */
export function pagerModel(page: AnyPage, options: PagerOptions) {
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
    // The links of the slots inherit these attributes.
    hx: inheritedAttributes(options),
    previous: { text: words.previous, link: page.has_previous ? link(pageBefore(page)) : null },
    next: { text: words.next, link: page.has_next ? link(page.page + 1) : null },
    // Narrow screens show it beside the current page.
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
