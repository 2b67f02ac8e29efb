import { describe, expect, it } from 'vitest'
import { growthChart, workLines } from './report.ts'
import type { Name } from './contestants.ts'
import type { Measured } from './report.ts'

const measured = (speeds: number[], cpu: number): Measured => ({
  rounds: speeds.map((requestsPerSecond) => ({ requests: 1, requestsPerSecond, cpu })),
  allocated: 10_240,
})

describe('workLines', () => {
  it('returns the median of the rounds, and ratios to the first contestant', () => {
    const lines = workLines(
      'one record',
      new Map<Name, Measured>([
        ['by hand', measured([900, 1_000, 5_000], 400)],
        ['Pergola', measured([1_500, 100, 1_600], 300)],
      ]),
    )
    expect(lines).toEqual([
      {
        work: 'one record',
        by: 'by hand',
        requests_per_second: 1_000,
        ratio: 1,
        cpu_us: 400,
        ratio_of_cpu: 1,
        allocated_kb: 10,
      },
      {
        work: 'one record',
        by: 'Pergola',
        requests_per_second: 1_500,
        ratio: 1.5,
        cpu_us: 300,
        ratio_of_cpu: 0.75,
        allocated_kb: 10,
      },
    ])
  })
})

describe('growthChart', () => {
  it('has a line for each drawn work and contestant, and the figures of the largest table in words', () => {
    const works = ['page with total, JSON', 'list as a page, HTML', 'cursor page at depth, JSON']
    const drawn = growthChart(
      works.flatMap((work) =>
        (['by hand', 'Pergola'] as const).flatMap((by) =>
          [10, 1_000].map((rows) => ({ rows, work, by, ms: rows / 10, cpu_us: 1 })),
        ),
      ),
    )
    expect(drawn.match(/<polyline/g)).toHaveLength(6)
    expect(drawn.match(/class="line \w dashed"/g)).toHaveLength(3)
    expect(drawn).toContain('deep cursor, by hand: 100 ms, deep cursor: 100 ms.')
  })
})
