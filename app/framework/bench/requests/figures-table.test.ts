import { expect, it } from 'vitest'
import { figuresTable } from './figures-table.ts'
import type { Report } from './report.ts'

const work = (by: Report['works'][number]['by'], requests_per_second: number, ratio: number) => ({
  work: 'one record',
  by,
  requests_per_second,
  ratio,
  cpu_us: 1,
  ratio_of_cpu: 1,
  allocated_kb: 1,
})

const report: Report = {
  note: '',
  versions: { node: '24.1.0', postgres: '18.4', express: '5.3.0', pg: '8.23.1' },
  machine: '2 × CPU, 8 GB',
  rows: 1,
  connections: 1,
  rounds: 1,
  seconds_per_round: 1,
  works: [
    work('by hand', 1_234, 1),
    work('by hand, revocable sessions', 1_000, 0.81),
    work('Pergola', 1_500, 1.2),
  ],
  processes: [
    { by: 'by hand', start_ms: 150, memory_at_rest_mb: 70, memory_after_load_mb: 200 },
    { by: 'Pergola', start_ms: 400, memory_at_rest_mb: 90, memory_after_load_mb: 150 },
  ],
  batches: [{ rows: 1, by: 'Pergola', rows_per_second: 1, ratio: 0.93, cpu_us: 1, ratio_of_cpu: 1 }],
  growth: [],
}

it('writes the figures of docs/performance.md, and no ratio for a peer without the work', () => {
  const peers = [
    { name: 'A', ratios: { 'one record': 0.5 } },
    { name: 'B', ratios: {} },
  ]
  expect(figuresTable(report, peers).split('\n')).toEqual([
    '| Requests per second | By hand | with sessions as rows | Pergola | A      | B |',
    '| ------------------- | ------- | --------------------- | ------- | ------ | - |',
    '| one record          | 1,234   | 0.81 ×                | 1.20 ×  | 0.50 × |   |',
    '',
    'Pergola answers 400 ms after its start (by hand 150 ms), takes 90 MB at rest (70 MB) and 150 MB after the load (200 MB), and reads batches of 1,000 rows at 0.93 × the speed of a plain loop with `pg`. Measured with Node 24.1.0, PostgreSQL 18.4, Express 5.3.0 and pg 8.23.1 on 2 × CPU, 8 GB.',
  ])
})
