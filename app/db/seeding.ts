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
 * Returns faker with a fixed seed, so that a seed inserts the same values each time. Faker is a development dependency,
 * and is imported only when a seed runs.
 */
export async function seededFaker(): Promise<Faker> {
  try {
    const { faker } = await import('@faker-js/faker/locale/en')
    faker.seed(1)
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
