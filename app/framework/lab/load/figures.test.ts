import { expect, it } from 'vitest'
import { figuresTable } from './figures.ts'

it('prints a Markdown table with the columns that have values', () => {
  const rows = [
    { name: 'killed', state: 'passed', figures: { requests: 1_000, failed: 3, lost: 0, seconds: 1.25 } },
    { name: 'full', state: 'skipped', figures: undefined },
  ]
  expect(figuresTable(rows)).toBe(
    [
      '| case           | requests | failed | lost | seconds to recover |',
      '| -------------- | -------: | -----: | ---: | -----------------: |',
      '| killed         |     1000 |      3 |    0 |                1.3 |',
      '| full (skipped) |          |        |      |                    |',
    ].join('\n'),
  )
})
