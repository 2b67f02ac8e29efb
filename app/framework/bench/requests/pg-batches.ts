import { Pool } from 'pg'
import { columnTypes } from '../../src/database/column-types.ts'

// Reads all posts with `pg`, in batches of 1,000 and with the column types of Pergola, and prints what
// contestant/batch.ts prints. A pool passes callbacks to its clients, which is faster than the promises of a client.
const [started, cpu] = [performance.now(), process.cpuUsage()]
const pool = new Pool({ types: columnTypes, max: 1 })
let [rows, sum, last] = [0, 0, '0']
for (;;) {
  const batch = await pool.query<{ id: string }>(
    'select id, title, body, published, author_id, created_at from posts where id > $1 order by id limit 1000',
    [last],
  )
  for (const { id } of batch.rows) {
    rows++
    sum += Number(id)
    last = id
  }
  if (batch.rows.length < 1_000) break
}
const ms = performance.now() - started
const { user, system } = process.cpuUsage(cpu)
process.stdout.write(`${JSON.stringify({ rows, sum, ms, cpu: (user + system) / 1_000 })}\n`)
await pool.end()
