/** Every text of pagers and their forms, seen or spoken. Numbers arrive written in the digits of the `locale`. */
export interface PagerLabels {
  /** Names the pager unless it has a `label` of its own. */
  readonly pagination: string
  readonly previous: string
  readonly next: string
  readonly page: (page: string) => string
  /** Pages that are left out between two others. */
  readonly gap: (from: string, to: string) => string
  /** Follows the last link where nobody counted the pages. */
  readonly more: string
  /** A count that stopped there: there are more. */
  readonly capped: (count: string) => string
  readonly info: (shown: ShownItems) => string
  /** Read out when another page has come in. */
  readonly status: (place: PagePlace) => string
  readonly size: string
  readonly changeSize: string
  readonly jump: string
  readonly go: string
  readonly loadMore: string
  /** Read out when more items have come in below. */
  readonly loaded: (count: string, plural: Intl.LDMLPluralRule) => string
}

export interface ShownItems {
  readonly from: string
  readonly to: string
  /** Null where nobody counted. */
  readonly total: string | null
}

export interface PagePlace {
  readonly page: string
  /** Null where nobody counted. */
  readonly last: string | null
  /** The info line; null on an empty page. */
  readonly info: string | null
  /** The grammatical number of how many items the page has. */
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
  /** English where it is left out. */
  readonly labels?: Partial<PagerLabels>
  /** A language tag like `ar-EG`, for digits and grammatical number: `en` unless told. */
  readonly locale?: string
}

export interface Wording extends PagerLabels {
  readonly number: (value: number) => string
  readonly plural: (count: number) => Intl.LDMLPluralRule
}

/** The labels to use, and how their language writes numbers. Throws where `locale` is no language tag. */
export function wording({ labels, locale = 'en' }: PagerLanguage): Wording {
  return { ...ENGLISH, ...labels, ...grammar(locale) }
}

const grammars = new Map<string, Pick<Wording, 'number' | 'plural'>>()

// Kept: Intl takes longer to make one than to draw a whole pager.
function grammar(locale: string): Pick<Wording, 'number' | 'plural'> {
  const known = grammars.get(locale)
  if (known) return known
  const numbers = new Intl.NumberFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  const made = {
    number: (value: number) => numbers.format(value),
    plural: (count: number) => plurals.select(count),
  }
  grammars.set(locale, made)
  return made
}
