import { connect, repository, withDatabase } from 'pergola'
import { Leaf } from './leaf.ts'

/** Stores 100,000 leaves in the database that it is given, as a process whose heap a test can bound. */
const db = connect({
  url: process.argv[2] ?? '',
  poolSize: 1,
  maxWaiting: 1,
  connectTimeout: 5_000,
  statementTimeout: 30_000,
  lockTimeout: 5_000,
  onConnectionError: () => {},
})
const leaves = repository(Leaf, {})

function* many() {
  for (let index = 0; index < 100_000; index++)
    yield { owner_id: 1, title: `Heap ${index}`, note: 'x'.repeat(500) }
}

await withDatabase(db, () => leaves.asSystem('a test of its memory').saveMany(many()))
await db.destroy()
