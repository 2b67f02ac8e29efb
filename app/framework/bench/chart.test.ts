import { describe, expect, it } from 'vitest'
import { chart } from './chart.ts'

const drawn = chart({
  title: 'Milliseconds & <depth>',
  description: 'Offset grows, the cursor stays.',
  xLabel: 'depth',
  yLabel: 'ms',
  lines: [
    {
      name: 'offset',
      points: [
        { x: 10, y: 0.1 },
        { x: 1_000, y: 10 },
      ],
    },
    {
      name: 'cursor',
      points: [
        { x: 10, y: 0.1 },
        { x: 1_000, y: 0.1 },
      ],
    },
  ],
})

describe('chart', () => {
  it('places points on logarithmic axes', () => {
    const lines = [...drawn.matchAll(/<polyline class="line (\w)" points="([^"]+)"/g)]
    expect(lines.map(([, colour, points]) => [colour, points])).toEqual([
      ['a', '64,344 570,72'],
      ['b', '64,344 570,344'],
    ])
  })

  it('separates the names of lines with the same end', () => {
    const points = [
      { x: 1, y: 5 },
      { x: 10, y: 5 },
    ]
    const texts = { title: 'T', description: 'D', xLabel: 'x', yLabel: 'y' }
    const together = chart({ ...texts, lines: ['one', 'two', 'three'].map((name) => ({ name, points })) })
    const heights = [...together.matchAll(/class="name \w" x="[\d.]+" y="([\d.]+)"/g)].map(([, y]) =>
      Number(y),
    )
    const [first = 0] = heights
    expect(heights).toEqual([first, first + 18, first + 36])
  })

  it('draws dashed lines, and lines with the colour of another one', () => {
    const points = [
      { x: 1, y: 5 },
      { x: 10, y: 5 },
    ]
    const texts = { title: 'T', description: 'D', xLabel: 'x', yLabel: 'y' }
    const svg = chart({
      ...texts,
      lines: [
        { name: 'one', points },
        { name: 'two', points, colour: 0, dashed: true },
      ],
    })
    expect([...svg.matchAll(/<polyline class="([^"]+)"/g)].map(([, classes]) => classes)).toEqual([
      'line a',
      'line a dashed',
    ])
    expect(svg).toContain('.dashed { stroke-dasharray')
  })

  it('contains its title and its description, escaped', () => {
    expect(drawn).toContain('aria-labelledby="title desc"')
    expect(drawn).toContain('<title id="title">Milliseconds &amp; &lt;depth&gt;</title>')
    expect(drawn).toContain('<desc id="desc">Offset grows, the cursor stays.</desc>')
    expect(drawn).toContain('prefers-color-scheme: dark')
  })
})
