import { expect, it } from 'vitest'
import { figuresTable, type Results } from './figures-table.ts'

const rounds = (express: number[], pergola: number[]) => ({
  express: express.map((rps) => ({ rps, mem: 200 })),
  pergola: pergola.map((rps, round) => ({ rps, mem: 150 + round })),
})
const even = rounds([1_000], [1_000])

const results: Results = {
  W1: even,
  W3: even,
  W4: even,
  W5: rounds([800, 900, 1_000], [1_350, 9_000, 1_300]),
  W6: rounds([1_234], [2_468]),
  W7: even,
  W8: { express: [{ rate: 1_000 }], pergola: [{ rate: 800 }] },
  W9: { express: [0.15], pergola: [0.3, 0.4, 0.5] },
  rest: { express: 70, pergola: 90 },
}

it('returns the medians of the rounds as multiples of the program by hand', () => {
  expect(figuresTable(results, { express: 'By hand', pergola: 'Pergola' }).split('\n')).toEqual([
    '| Requests per second        | By hand | Pergola |',
    '| -------------------------- | ------- | ------- |',
    '| one record, JSON           | 1,234   | 2.00 ×  |',
    '| first cursor page, JSON    | 1,000   | 1.00 ×  |',
    '| cursor page at depth, JSON | 1,000   | 1.00 ×  |',
    '| page with total, JSON      | 1,000   | 1.00 ×  |',
    '| list as a page, HTML       | 900     | 1.50 ×  |',
    '| update, JSON               | 1,000   | 1.00 ×  |',
    '',
    'Pergola answers 400 ms after its start (by hand 150 ms), takes 90 MiB at rest (70 MiB) and 152 MiB after the load (200 MiB). A task that reads batches of 1,000 rows reads 0.80 × the rows per second of a plain loop with `pg`, with the starts of both processes.',
  ])
})
