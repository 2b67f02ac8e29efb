import { PageRequest } from 'pergola'

/** The nth of these, beginning again after the last. Throws where there is none. */
export function inTurn<Value>(values: readonly Value[], n: number): Value {
  if (values.length === 0)
    throw new Error('There is nothing to take in turn: seed what is referred to first.')
  return values[n % values.length] as Value
}

/** A moment so many days ago, as timestamps are written. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

const nth = (time: { day?: number; minute?: number }) =>
  new Date(Date.UTC(2026, 0, time.day ?? 1, 9, time.minute ?? 0)).toISOString()

/** The nth day of 2026, `2026-01-31`, and of the years after it. */
export const nthDay = (n: number): string => nth({ day: n }).slice(0, 10)

/** Nine o'clock on that day, in UTC, as timestamps are read back. */
export const nthMoment = (n: number): string => `${nthDay(n)}T09:00:00.000000Z`

/** A time of day so many minutes after nine o'clock. */
export const nthTime = (n: number): string => `${nth({ minute: n }).slice(11, 16)}:00`

interface Pages<Id> {
  page(
    request: PageRequest,
    options: { count: 'none' },
  ): Promise<{ readonly content: readonly { readonly id: Id }[] }>
}

/** The ids of up to fifty records of a list, for what refers to them. */
export async function firstIds<Id>(list: Pages<Id>): Promise<Id[]> {
  const { content } = await list.page(new PageRequest(1, 50), { count: 'none' })
  return content.map(({ id }) => id)
}
