/**
 * Walks through every note once and prints the duration: `node bench/walk.ts <database URL> <how> <batch size>`. Runs
 * in its own process, so that its heap can be limited: `node --max-old-space-size=48 …`.
 */
import { Client } from 'pg'
import { database, withDatabase } from 'pergola'
import { connect } from 'pergola/database'
import { notes } from '../test/fixtures/note.ts'

const [, , url = '', how = '', given = ''] = process.argv
const size = Number(given)

/** The walks by name. Each calls `done` after each batch, and returns the number of rows. */
const ways: Record<string, (done: () => void) => Promise<number>> = {
  findEach: (done) =>
    inPergola(async () => {
      let count = 0
      for await (const _row of notes.asSystem('bench').findEach(size)) if (++count % size === 0) done()
      return count
    }),
  findInBatches: (done) =>
    inPergola(async () => {
      let count = 0
      for await (const batch of notes.asSystem('bench').findInBatches(size)) {
        count += batch.length
        done()
      }
      return count
    }),
  Kysely: (done) =>
    inPergola(async () => {
      let [count, last] = [0, 0]
      for (;;) {
        const rows = await database()
          .selectFrom('notes')
          .selectAll()
          .where('id', '>', last)
          .orderBy('id')
          .limit(size)
          .execute()
        for (const row of rows) {
          last = row.id
          count++
        }
        done()
        if (rows.length < size) return count
      }
    }),
  pg: async (done) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    let [count, last] = [0, '0']
    for (;;) {
      const { rows } = await client.query<{ id: string }>(
        'select * from notes where id > $1 order by id limit $2',
        [last, size],
      )
      for (const row of rows) {
        last = row.id
        count++
      }
      done()
      if (rows.length < size) break
    }
    await client.end()
    return count
  },
}

async function inPergola(work: () => Promise<number>): Promise<number> {
  const db = connect({
    url,
    poolSize: 1,
    maxWaiting: 1,
    connectTimeout: 5_000,
    statementTimeout: 60_000,
    lockTimeout: 5_000,
    onConnectionError: () => {},
  })
  try {
    return await withDatabase(db, work)
  } finally {
    await db.destroy()
  }
}

let heap = 0
const [started, cpu] = [performance.now(), process.cpuUsage()]
const rows = await ways[how]?.(() => {
  heap = Math.max(heap, process.memoryUsage().heapUsed)
})
const ms = performance.now() - started
const { user, system } = process.cpuUsage(cpu)
process.stdout.write(JSON.stringify({ rows, ms, heap, cpu: (user + system) / 1_000 }))
