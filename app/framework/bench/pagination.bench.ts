import { writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { chart } from './chart.ts'
import { fillNotes } from './fill.ts'
import { buffers, median, takingTurns } from './measure.ts'
import { CAPPED, contestants, counts, EXACT, type Form, forms, placeAt, type Notes } from './pages.ts'
import { type Walked, walkInChild } from './walk-in-child.ts'
import { testDatabase } from 'pergola/testing'

const ROWS = [10_000, 100_000, 1_000_000]
const ROUNDS = 15
const BATCHES = [100, 1_000, 10_000]
const WALKS = 3
const SMALL_HEAP = 48
const WALKERS = ['pg', 'Kysely', 'findInBatches', 'findEach']

interface PageLine {
  rows: number
  depth: number
  form: Form
  by: string
  ms: number
  buffers: number
}

const pages: PageLine[] = []
const counted: object[] = []
const walks: object[] = []
const smallWalks: object[] = []

/** Returns the depths to measure in a table, from the beginning until 90 % of its rows. */
const depthsOf = (rows: number) =>
  [20, 1_000, 10_000, 100_000].filter((depth) => depth < rows * 0.9).concat(rows * 0.9)

async function measurePages(notes: Notes, rows: number): Promise<void> {
  for (const depth of depthsOf(rows)) {
    const place = await placeAt(notes, depth)
    const times = await takingTurns(
      ROUNDS,
      contestants.map(
        ([, , ask]) =>
          () =>
            ask(notes, place),
      ),
    )
    for (const [at, [by, form]] of contestants.entries()) {
      const looked = await buffers(notes.pool, ...forms[form](place))
      pages.push({ rows, depth, form, by, ms: rounded(times[at] ?? 0), buffers: looked })
    }
  }
}

async function measureCounts(notes: Notes, rows: number): Promise<void> {
  const times = await takingTurns(
    ROUNDS,
    counts.map(
      ([, , ask]) =>
        () =>
          ask(notes),
    ),
  )
  for (const [at, [by, what]] of counts.entries()) {
    const looked = await buffers(notes.pool, what === 'exact' ? EXACT : CAPPED)
    counted.push({ rows, count: what, by, ms: rounded(times[at] ?? 0), buffers: looked })
  }
}

/** Measures walks through the whole table, each in its own process and alternately, and one walk with a small heap. */
async function measureWalks(url: string, rows: number): Promise<void> {
  for (const size of BATCHES) {
    const walked = new Map<string, Walked[]>(WALKERS.map((how) => [how, []]))
    for (let round = 0; round < WALKS; round++)
      for (const how of WALKERS) walked.get(how)?.push(await walkInChild(url, { how, size }))
    const middle = (how: string, what: 'ms' | 'cpu') =>
      median((walked.get(how) ?? []).map((run) => run[what]))
    for (const [by, runs] of walked) {
      walks.push({
        rows,
        size,
        by,
        rows_per_second: Math.round((rows / middle(by, 'ms')) * 1_000),
        ratio_to_pg: rounded(middle('pg', 'ms') / middle(by, 'ms')),
        ratio_of_cpu_to_pg: rounded(middle('pg', 'cpu') / middle(by, 'cpu')),
        heap_mb: Math.round(median(runs.map(({ heap }) => heap)) / 2 ** 20),
      })
    }
    const small = await walkInChild(url, { how: 'findEach', size, heap: SMALL_HEAP })
    expect(small.rows).toBe(rows)
    smallWalks.push({ rows, size, limit_mb: SMALL_HEAP, heap_mb: Math.round(small.heap / 2 ** 20) })
  }
}

const rounded = (value: number) => Number(value.toPrecision(3))

const databases = await Promise.all(ROWS.map(() => testDatabase()))

it.each(ROWS)('measures pages, counts and walks of %i rows', { timeout: 3_600_000 }, async (rows) => {
  const { db, url } = databases[ROWS.indexOf(rows)] ?? (await testDatabase())
  await fillNotes(url, rows)
  const pool = new Pool({ connectionString: url, max: 1 })
  await measurePages({ db, pool }, rows)
  await measureCounts({ db, pool }, rows)
  await pool.end()
  await measureWalks(url, rows)
  expect(walks.length).toBeGreaterThan(0)
})

it('writes what it measured, and a drawing of it', async () => {
  expect(pages.length).toBeGreaterThan(0)
  const { rows } = await sql<{ server_version: string }>`show server_version`.execute(
    databases[0]?.db as never,
  )
  const [cpu] = cpus()
  const report = {
    note: 'One machine, one run: compare the numbers with each other, not with those of another machine.',
    postgres: rows[0]?.server_version,
    node: process.versions.node,
    machine: `${cpus().length} × ${cpu?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    pages,
    counts: counted,
    walks,
    walks_in_little_memory: smallWalks,
  }
  await writeFile(join(import.meta.dirname, 'pagination.json'), `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(join(import.meta.dirname, 'pagination.svg'), drawing(Math.max(...ROWS)))
  for (const table of [pages, counted, walks, smallWalks]) print(table)
})

function drawing(rows: number): string {
  const line = (name: string, by: string, form: Form) => ({
    name,
    points: pages
      .filter((page) => page.rows === rows && page.form === form && page.by === by)
      .map(({ depth, ms }) => ({ x: depth, y: ms })),
  })
  const lines = [
    line('page(), counted', 'Pergola', 'offset'),
    line('OFFSET by hand', 'pg', 'offset'),
    line('OR by hand', 'pg', 'or'),
    line('cursorPage()', 'Pergola', 'row comparison'),
  ]
  const deepest = lines.map(({ name, points }) => `${name}: ${points.at(-1)?.y} ms`).join(', ')
  return chart({
    title: `A page of 20 out of ${rows.toLocaleString('en')} rows, by its depth`,
    description: `Milliseconds on a logarithmic scale. At the deepest page, ${deepest}.`,
    xLabel: 'rows before the page',
    yLabel: 'milliseconds, median',
    lines,
  })
}

// oxlint-disable-next-line no-console
const print = (table: readonly object[]) => console.table(table)
