import type { Faker } from '@faker-js/faker'
import { PageRequest } from 'pergola'

/** Returns the nth value, starting again after the last. Throws if `values` is empty. */
export function inTurn<Value>(values: readonly Value[], n: number): Value {
  if (values.length === 0)
    throw new Error('No values to choose from. Seed the table that the records refer to first.')
  return values[n % values.length] as Value
}

/** Returns the timestamp of `days` days ago, in ISO format. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

const nth = (time: { day?: number; minute?: number }) =>
  new Date(Date.UTC(2026, 0, time.day ?? 1, 9, time.minute ?? 0)).toISOString()

/** Returns the nth day from the beginning of 2026: `nthDay(31)` is `2026-01-31`. */
export const nthDay = (n: number): string => nth({ day: n }).slice(0, 10)

/** Returns nine o'clock UTC on the nth day, in the format in which Postgres timestamps are read. */
export const nthMoment = (n: number): string => `${nthDay(n)}T09:00:00.000000Z`

/** Returns the time of day `n` minutes after nine o'clock. */
export const nthTime = (n: number): string => `${nth({ minute: n }).slice(11, 16)}:00`

/**
 * Returns a random day between two days, counted from today: `dayBetween(faker, -30, 30)` may be overdue, today or
 * upcoming. The same all day for the same seed of faker.
 */
export const dayBetween = (faker: Faker, from: number, to: number): string =>
  daysAgo(-faker.number.int({ min: from, max: to })).slice(0, 10)

/** Returns a quarter of an hour between nine and five o'clock UTC, on a random day between two days. */
export const momentBetween = (faker: Faker, from: number, to: number): string =>
  `${dayBetween(faker, from, to)}T${officeTime(faker)}.000000Z`

/** Returns a random quarter of an hour between nine and five o'clock: `14:30:00`. */
export const officeTime = (faker: Faker): string =>
  nthTime(faker.number.int({ min: 0, max: 480, multipleOf: 15 }))

const VERBS = ['Review', 'Update', 'Check', 'Shorten', 'Translate', 'Reprint', 'Send out', 'Discuss']
const THINGS = [
  'price list', 'opening hours', 'welcome letter', 'spring catalog', 'delivery schedule', 'contact form', 'floor plan',
  'staff handbook', 'order form', 'waiting list', 'parking rules', 'insurance papers', 'visitor guide',
  'training schedule', 'safety instructions', 'quarterly report',
] // prettier-ignore

/** Returns a title for a ticket, a task or a note: `Update the price list`. */
export const exampleTitle = ({ helpers }: Faker): string =>
  `${helpers.arrayElement(VERBS)} the ${helpers.arrayElement(THINGS)}`

const SENTENCES = [
  'Anna noticed it on Monday and told the front desk.',
  'The old version is from last year and still has the former address.',
  'Two customers have asked about it this week.',
  'It takes about an hour, including the corrections.',
  'The print shop needs the final file two days ahead.',
  'Please leave a note here when it is finished.',
  'The new draft is shorter, and easier to read on a phone.',
  'We agreed to try it for a month and then decide.',
  'Nothing changes for existing orders.',
  'The numbers are those of the last quarter.',
  'The team next door did the same in May and was happy with it.',
  'A photo would help more than another paragraph.',
]

/** Returns a sentence that fits a note about anything. */
export const exampleSentence = ({ helpers }: Faker): string => helpers.arrayElement(SENTENCES)

/** The texts that `unused` returned in this seed. */
let used = new Set<string>()

/** Returns a text of `make` that this seed does not contain yet. If `make` repeats itself, the text ends in `n`. */
export function unused(make: () => string, n: number): string {
  const text = Array.from({ length: 20 }, make).find((each) => !used.has(each)) ?? `${make()} ${n}`
  used.add(text)
  return text
}

/** Returns three paragraphs, in which no sentence occurs twice. */
export function exampleText({ helpers }: Faker): string {
  const shuffled = helpers.shuffle(SENTENCES)
  return [0, 3, 6].map((first) => shuffled.slice(first, first + 3).join(' ')).join('\n\n')
}

/**
 * Returns faker with a fixed seed, so that a seed inserts the same values each time. Faker is a development dependency,
 * and is imported only when a seed runs.
 */
export async function seededFaker(): Promise<Faker> {
  try {
    const { faker } = await import('@faker-js/faker/locale/en')
    faker.seed(1)
    used = new Set()
    faker.setDefaultRefDate('2026-01-01T00:00:00.000Z')
    return faker
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      'Seeds need the development dependency @faker-js/faker. Install it with: npm install --include=dev',
      { cause: error },
    )
  }
}

interface Pages<Id> {
  page(
    request: PageRequest,
    options: { count: 'none' },
  ): Promise<{ readonly content: readonly { readonly id: Id }[] }>
}

/** Returns the ids of the first fifty records of a list, for records that refer to them. */
export async function firstIds<Id>(list: Pages<Id>): Promise<Id[]> {
  const { content } = await list.page(new PageRequest(1, 50), { count: 'none' })
  return content.map(({ id }) => id)
}
