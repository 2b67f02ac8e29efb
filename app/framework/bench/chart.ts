export interface Line {
  name: string
  /** The place of the colour among the four colours. Defaults to the place of the line. */
  colour?: number
  dashed?: boolean
  /** From left to right; both axes are logarithmic. */
  points: readonly { x: number; y: number }[]
}

interface Chart {
  title: string
  /** The content of the chart in words, for screen readers. */
  description: string
  xLabel: string
  yLabel: string
  lines: readonly Line[]
}

const [WIDTH, HEIGHT] = [760, 400]
const PLOT = { left: 64, right: 570, top: 72, bottom: 344 }
/** The distance between two names in pixels, so that they don't overlap. */
const NAME = 18
const COLOURS = ['a', 'b', 'c', 'd']

/** Returns an SVG document without dependencies. It follows the light or dark theme, and contains the description. */
export function chart({ title, description, xLabel, yLabel, lines }: Chart): string {
  const all = lines.flatMap(({ points }) => points)
  const x = axis(
    all.map((point) => point.x),
    [PLOT.left, PLOT.right],
  )
  const y = axis(
    all.map((point) => point.y),
    [PLOT.bottom, PLOT.top],
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(description)}</desc>
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>
<text class="title" x="${PLOT.left}" y="28">${escaped(title)}</text>
${x.ticks.map((value) => xTick(x.at(value), value)).join('\n')}
${y.ticks.map((value) => yTick(y.at(value), value)).join('\n')}
<text x="${(PLOT.left + PLOT.right) / 2}" y="${HEIGHT - 14}" text-anchor="middle">${escaped(xLabel)}</text>
<text x="16" y="${PLOT.top - 14}">${escaped(yLabel)}</text>
${lines.map((line, place) => drawn(line, { x, y, colour: colourOf(line, place) })).join('\n')}
${names(lines, y).join('\n')}
</svg>
`
}

interface Axis {
  at: (value: number) => number
  ticks: readonly number[]
}

/** Returns a logarithmic axis for the values, with ticks at powers of ten, between these two pixels. */
function axis(values: readonly number[], [from, to]: readonly [number, number]): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  return {
    at: (value) => round(from + ((Math.log10(value) - low) / (high - low)) * (to - from)),
    ticks: Array.from({ length: high - low + 1 }, (_, place) => 10 ** (low + place)),
  }
}

const xTick = (x: number, value: number) =>
  `<line class="grid" x1="${x}" x2="${x}" y1="${PLOT.top}" y2="${PLOT.bottom}"/>` +
  `<text x="${x}" y="${PLOT.bottom + 20}" text-anchor="middle">${written(value)}</text>`

const yTick = (y: number, value: number) =>
  `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}"/>` +
  `<text x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${written(value)}</text>`

function drawn({ points, dashed }: Line, { x, y, colour }: { x: Axis; y: Axis; colour: string }): string {
  const places = points.map((point) => `${x.at(point.x)},${y.at(point.y)}`)
  return `<polyline class="line ${colour}${dashed ? ' dashed' : ''}" points="${places.join(' ')}"/>`
}

/**
 * Returns the names of the lines, each beside the end of its line, or below the previous name if they would overlap.
 */
function names(lines: readonly Line[], y: Axis): string[] {
  const ends = lines.map((line, place) => ({
    name: line.name,
    colour: colourOf(line, place),
    end: y.at(line.points.at(-1)?.y ?? 1) + 4,
  }))
  let free = 0
  return ends
    .toSorted((one, other) => one.end - other.end)
    .map(({ name, colour, end }) => {
      const at = Math.max(end, free)
      free = at + NAME
      return `<text class="name ${colour}" x="${PLOT.right + 10}" y="${at}">${escaped(name)}</text>`
    })
}

const colourOf = ({ colour }: Line, place: number) => COLOURS[(colour ?? place) % COLOURS.length] ?? 'a'
const written = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 6 })
const round = (value: number) => Math.round(value * 10) / 10
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #33373d }
.title { font-size: 16px; font-weight: 600 }
.paper { fill: #fff }
.grid { stroke: #e3e5e8 }
.line { fill: none; stroke-width: 2.5 }
.dashed { stroke-dasharray: 6 5 }
.name { font-weight: 600; stroke: none }
.a { stroke: #b3261e } .b { stroke: #8a5a00 } .c { stroke: #00695c } .d { stroke: #3949ab }
.name.a { fill: #b3261e } .name.b { fill: #8a5a00 } .name.c { fill: #00695c } .name.d { fill: #3949ab }
.name.a, .name.b, .name.c, .name.d { stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #d5d9df }
  .paper { fill: #16191d }
  .grid { stroke: #2c3138 }
  .a { stroke: #ff8a80 } .b { stroke: #ffcc80 } .c { stroke: #80cbc4 } .d { stroke: #9fa8da }
  .name.a { fill: #ff8a80 } .name.b { fill: #ffcc80 } .name.c { fill: #80cbc4 } .name.d { fill: #9fa8da }
}
`
