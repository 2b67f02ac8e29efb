import { describe, expect, it } from 'vitest'
import { rankOf } from './preferred.ts'

const clients = Array.from(
  { length: 2_000 },
  (_, index) => `10.0.${index % 256}.${index >> 8} Firefox/${index % 7}`,
)
const preferredBy = (client: string, names: readonly string[]) =>
  names.toSorted((one, other) => rankOf(client, other) - rankOf(client, one))[0] as string

describe('the preferred replica', () => {
  const names = ['10.1.0.1:5432/app', '10.1.0.2:5432/app', '10.1.0.3:5432/app']

  it('is a different one for a third of the clients each', () => {
    const shares = names.map((name) => clients.filter((client) => preferredBy(client, names) === name).length)
    for (const share of shares) expect(share / clients.length).toBeCloseTo(1 / 3, 1)
  })

  it('changes only for the clients of a replica that is gone', () => {
    const [gone, ...left] = names
    const moved = clients.filter((client) => preferredBy(client, names) !== preferredBy(client, left))
    expect(new Set(moved.map((client) => preferredBy(client, names)))).toEqual(new Set([gone]))
  })
})
