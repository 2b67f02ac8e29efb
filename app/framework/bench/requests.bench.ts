import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, expect, inject, it } from 'vitest'
import { median } from './measure.ts'
import { measureBatches } from './requests/batches.ts'
import { openSession, type Session } from './requests/check.ts'
import { type Contestant, type Name, NAMES, startContestant } from './requests/contestants.ts'
import { CALLERS, expectedOf } from './requests/expected.ts'
import { measureGrowth } from './requests/growth.ts'
import { allocatedPerRequest, connectionsOf, CONNECTIONS, load } from './requests/load.ts'
import { createPosts } from './requests/posts-table.ts'
import {
  growthChart,
  machine,
  type Measured,
  type ProcessLine,
  type Report,
  versionsOf,
  workLines,
} from './requests/report.ts'
import { WORK_NAMES, WORKS } from './requests/works.ts'

/** `QUICK=1 npm run pergola -- bench requests` tries the benchmark with few rows, and writes no files. */
const isQuick = process.env['QUICK'] === '1'
const SETTINGS = isQuick
  ? { sizes: [5_000, 20_000], rounds: 2, seconds: 1, starts: 2, requests: 200, turns: 20 }
  : { sizes: [10_000, 100_000, 1_000_000], rounds: 5, seconds: 3, starts: 7, requests: 3_000, turns: 100 }
const [ROWS = 0] = SETTINGS.sizes

const { adminUrl, prefix } = inject('databases')
const databases = new Map<number, string>()
const running = new Map<Name, Contestant>()
const sessions = new Map<Name, Session[]>()
const report: Report = {
  note: 'One machine, one run: compare the figures with each other, not with those of another machine. The HTML list of Pergola counts up to 1,000 rows, all other totals are exact.',
  versions: {},
  machine: machine(),
  rows: ROWS,
  users: CALLERS.length,
  connections: CONNECTIONS,
  rounds: SETTINGS.rounds,
  seconds_per_round: SETTINGS.seconds,
  works: [],
  processes: [],
  batches: [],
  growth: [],
}

const stopAll = async () => {
  await Promise.all([...running.values()].map((contestant) => contestant.stop()))
  running.clear()
}
afterAll(stopAll)

async function withClient<T>(rows: number, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databases.get(rows) })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

it('fills the tables', { timeout: 900_000 }, async () => {
  for (const rows of SETTINGS.sizes)
    databases.set(rows, await createPosts(adminUrl, `${prefix}posts_${rows}`, rows))
  const version = await withClient(ROWS, (client) =>
    client.query<{ server_version: string }>('show server_version'),
  )
  report.versions = versionsOf(version.rows[0]?.server_version ?? '')
  expect(databases.size).toBe(SETTINGS.sizes.length)
})

it('starts the contestants', async () => {
  const database = databases.get(ROWS) ?? ''
  const times = new Map<Name, number[]>(NAMES.map((name) => [name, []]))
  // The first start fills the caches of compiled code.
  for (let round = 0; round <= SETTINGS.starts; round++) {
    for (const name of NAMES) {
      const contestant = await startContestant(name, database)
      if (round > 0) times.get(name)?.push(contestant.startTime)
      await contestant.stop()
    }
  }
  for (const name of NAMES) {
    const contestant = await startContestant(name, database)
    running.set(name, contestant)
    await sleep(1_000)
    report.processes.push({
      by: name,
      start_ms: Math.round(median(times.get(name) ?? [])),
      memory_at_rest_mb: megabytes(await contestant.ask('memory')),
      memory_after_load_mb: Number.NaN,
    })
  }
  expect(running.size).toBe(NAMES.length)
})

const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20)

it('gets the same answers from all contestants', async () => {
  await withClient(ROWS, async (client) => {
    for (const caller of CALLERS) {
      const expected = await expectedOf(client, caller, depthOf(ROWS))
      for (const [name, contestant] of running)
        sessions.set(name, [...(sessions.get(name) ?? []), await openSession(contestant, expected)])
    }
  })
  expect(sessions.size).toBe(NAMES.length)
})

/** Half of the rows, in whole batches of 100. */
const depthOf = (rows: number) => Math.floor(rows / 250) * 100

it.each(WORK_NAMES)('loads them in turn: %s', async (work) => {
  const { rounds, seconds, requests } = SETTINGS
  const connections = (name: Name) => connectionsOf(sessions.get(name) ?? [], WORKS[work])
  const measured = new Map<Name, Measured>(NAMES.map((name) => [name, { rounds: [], allocated: Number.NaN }]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, contestant] of running) {
      const result = await load(contestant, connections(name), { duration: seconds })
      // The first round is a warm-up.
      if (round > 0) measured.get(name)?.rounds.push(result)
    }
  }
  for (const [name, one] of measured) {
    const contestant = running.get(name) as Contestant
    one.allocated = await allocatedPerRequest(contestant, connections(name), requests)
  }
  report.works.push(...workLines(work, measured))
  await withClient(ROWS, (client) => client.query('vacuum posts'))
  expect(report.works.some((line) => line.work === work)).toBe(true)
})

it('measures the memory after the load', async () => {
  for (const [name, contestant] of running) {
    const line = report.processes.find(({ by }) => by === name) as ProcessLine
    line.memory_after_load_mb = megabytes(await contestant.ask('memory'))
  }
  await stopAll()
  expect(report.processes.length).toBe(NAMES.length)
})

it.each(SETTINGS.sizes)('measures the growth with %i rows', { timeout: 1_200_000 }, async (rows) => {
  const database = databases.get(rows) ?? ''
  const expected = await withClient(rows, (client) => expectedOf(client, CALLERS[0] ?? 0, depthOf(rows)))
  const pairs: [Contestant, Session][] = []
  for (const name of ['by hand', 'Pergola'] as const) {
    const contestant = await startContestant(name, database)
    running.set(name, contestant)
    pairs.push([contestant, await openSession(contestant, expected)])
  }
  report.growth.push(...(await measureGrowth(pairs, { rows, rounds: SETTINGS.turns })))
  await stopAll()
  expect(report.growth.some((line) => line.rows === rows)).toBe(true)
})

it('walks through the posts in batches', { timeout: 900_000 }, async () => {
  report.batches = await measureBatches(databases.get(SETTINGS.sizes.at(-1) ?? 0) ?? '', 3)
  expect(report.batches.length).toBe(2)
})

it('prints and writes the figures', async () => {
  expect(report.works.length).toBe(WORK_NAMES.length * NAMES.length)
  for (const table of [report.works, report.processes, report.batches, report.growth]) print(table)
  if (isQuick) return
  await writeFile(join(import.meta.dirname, 'requests.json'), `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(join(import.meta.dirname, 'growth.svg'), growthChart(report.growth))
})

// oxlint-disable-next-line no-console
const print = (table: readonly object[]) => console.table(table)
