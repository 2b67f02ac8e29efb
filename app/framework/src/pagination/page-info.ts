import type { CursorPage } from './cursor-page.ts'
import { type AnyPage, isCapped, lastPage } from './page.ts'
import { type PagerLanguage, type Wording, wording } from './pager-labels.ts'

/** Returns which items the page shows: `41–60 of 397`. Returns null if the page is empty. */
export function pageInfo(page: AnyPage, language: PagerLanguage = {}): string | null {
  const words = wording(language)
  const before = (page.page - 1) * page.size
  const { length } = page.content
  if (length === 0) return null
  const total =
    lastPage(page) !== null && 'total_elements' in page ? count(page, page.total_elements, words) : null
  return words.info({ from: words.number(before + 1), to: words.number(before + length), total })
}

/** Returns the text that screen readers announce after htmx has loaded a page: `Page 3 of 20, items 41–60 of 397`. */
export function pageStatus(page: AnyPage, language: PagerLanguage = {}): string {
  const words = wording(language)
  const last = lastPage(page)
  return words.status({
    page: words.number(page.page),
    last: last === null ? null : count(page, last, words),
    info: pageInfo(page, language),
    plural: words.plural(page.content.length),
  })
}

/** Returns the text that screen readers announce after htmx has appended items to a list: `20 more items`. */
export function loadedStatus({ content }: CursorPage<unknown>, language: PagerLanguage = {}): string {
  const { loaded, number, plural } = wording(language)
  return loaded(number(content.length), plural(content.length))
}

const count = (page: AnyPage, value: number, { capped, number }: Wording): string =>
  isCapped(page) ? capped(number(value)) : number(value)
