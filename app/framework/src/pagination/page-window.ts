export type PageSlot = { readonly page: number } | { readonly gap: readonly [from: number, to: number] }

/**
 * Returns the slots of a pager: the first page, the pages around the current page, the last page, and gaps for the
 * omitted pages. The number of slots is always `2 * around + 5`, or the number of pages if that is smaller. The links
 * therefore don't move while the user changes the page. A gap replaces two pages or more. Throws unless `around` is a
 * whole number from 0.
 */
export function pageWindow(page: number, last: number, around = 1): PageSlot[] {
  checkAround(around)
  const slots = 2 * around + 5
  if (last <= slots) return pages(1, last)
  const start = Math.min(Math.max(page - around - 2, 1), last - slots + 1)
  const end = start + slots - 1
  return [
    ...(start === 1 ? pages(1, 2) : [{ page: 1 }, gap(2, start + 1)]),
    ...pages(start + 2, end - 2),
    ...(end === last ? pages(last - 1, last) : [gap(end - 1, last - 1), { page: last }]),
  ]
}

/**
 * Returns the slots of a list whose last page is unknown: the first page, the ones around the current page, the next
 * page if it exists, and then `'more'`, because others may follow. Throws unless `around` is a whole number from 0.
 */
export function openWindow(page: number, hasNext: boolean, around = 1): (PageSlot | 'more')[] {
  checkAround(around)
  const start = Math.max(page - around, 1)
  return [
    ...(start > 3 ? [{ page: 1 }, gap(2, start - 1)] : pages(1, start - 1)),
    ...pages(start, page),
    ...(hasNext ? [{ page: page + 1 }, 'more' as const] : []),
  ]
}

function checkAround(around: number): void {
  if (Number.isInteger(around) && around >= 0) return
  throw new RangeError(
    `The pager's window is ${around}. Set it to the number of pages on each side of the current page, 0 or more.`,
  )
}

const pages = (from: number, to: number): PageSlot[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ page: from + index }))

const gap = (from: number, to: number): PageSlot => ({ gap: [from, to] })
