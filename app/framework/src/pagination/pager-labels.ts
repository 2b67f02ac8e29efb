import { memoize } from '../resource/memoize.ts'

/** The texts of the pagers and their forms. Numbers are passed as text, in the number format of `locale`. */
export interface PagerLabels {
  /** The name of the pager for screen readers, unless the option `label` is set. */
  readonly pagination: string
  readonly previous: string
  readonly next: string
  readonly page: (page: string) => string
  /** Announced by screen readers for the omitted pages between two links. */
  readonly gap: (from: string, to: string) => string
  /** Announced by screen readers after the last link, if the pages were not counted. */
  readonly more: string
  /** A count that stopped at its cap: `1,000+`. */
  readonly capped: (count: string) => string
  /** The line about the shown items: `21–40 of 95`. */
  readonly info: (shown: ShownItems) => string
  /** Announced by screen readers after htmx has loaded another page. */
  readonly status: (place: PagePlace) => string
  /** The label and the button of the form for the page size. */
  readonly size: string
  readonly changeSize: string
  /** The label and the button of the form that jumps to a page. */
  readonly jump: string
  readonly go: string
  readonly loadMore: string
  /** Announced by screen readers after htmx has appended more items. */
  readonly loaded: (count: string, plural: Intl.LDMLPluralRule) => string
}

interface ShownItems {
  readonly from: string
  readonly to: string
  /** Null without a count. */
  readonly total: string | null
}

interface PagePlace {
  readonly page: string
  /** Null without a count. */
  readonly last: string | null
  /** The text of `info`; null on an empty page. */
  readonly info: string | null
  /** The plural form for the number of items on the page. */
  readonly plural: Intl.LDMLPluralRule
}

const ENGLISH: PagerLabels = {
  pagination: 'Pagination',
  previous: 'Previous',
  next: 'Next',
  page: (page) => `Page ${page}`,
  gap: (from, to) => `Pages ${from} to ${to} not shown`,
  more: 'More pages may follow',
  capped: (count) => `${count}+`,
  info: ({ from, to, total }) =>
    `${from === to ? from : `${from}–${to}`}${total === null ? '' : ` of ${total}`}`,
  status({ page, last, info, plural }) {
    const items = info === null ? 'no items' : `${plural === 'one' ? 'item' : 'items'} ${info}`
    return `Page ${page}${last === null ? '' : ` of ${last}`}, ${items}`
  },
  size: 'Per page',
  changeSize: 'Show',
  jump: 'Go to page',
  go: 'Go',
  loadMore: 'Load more',
  loaded: (count, plural) => `${count} more ${plural === 'one' ? 'item' : 'items'}`,
}

export interface PagerLanguage {
  /** Defaults to English. */
  readonly labels?: Partial<PagerLabels>
  /** A language tag such as `ar-EG`, for digits and plural forms; defaults to `en`. */
  readonly locale?: string
}

export interface Wording extends PagerLabels {
  readonly number: (value: number) => string
  readonly plural: (count: number) => Intl.LDMLPluralRule
}

/** Returns the labels with the number format and the plural forms of `locale`. Throws if it is not a language tag. */
export function wording({ labels, locale = 'en' }: PagerLanguage): Wording {
  const english = englishIn(locale)
  if (labels === undefined) return english
  const { number, plural } = english
  return { ...english, ...labels, number, plural }
}

const LOCALES = 100
/** The number of numbers per language whose text and plural form are kept: a pager formats each several times. */
const NUMBERS = 1_000

// Kept, because creating an Intl object takes longer than rendering a pager.
const englishIn = memoize((locale: string): Wording => {
  const numbers = new Intl.NumberFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  return Object.freeze({
    ...ENGLISH,
    number: memoize((value: number) => numbers.format(value), NUMBERS),
    plural: memoize((count: number) => plurals.select(count), NUMBERS),
  })
}, LOCALES)
