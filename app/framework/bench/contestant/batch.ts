import { withDatabase } from 'pergola'
import { openDatabase } from 'pergola/database'
import { application } from './application.ts'

const { readConfig } = await application('config.ts')
const { makeLog } = await application('log.ts')
const { posts } = await application('posts/post.repository.ts')

// Reads all posts in batches of 1,000, and prints how many there are, the sum of their ids, and the milliseconds of the
// walk and of its CPU time.
const [started, cpu] = [performance.now(), process.cpuUsage()]
const config = readConfig()
const db = openDatabase(config.database.url ?? '', config, makeLog(config))
let rows = 0
let sum = 0
await withDatabase(db, async () => {
  for await (const batch of posts.asSystem('comparison of batches').findInBatches(1_000)) {
    for (const { id } of batch) {
      rows++
      sum += id
    }
  }
})
const ms = performance.now() - started
const { user, system } = process.cpuUsage(cpu)
process.stdout.write(`${JSON.stringify({ rows, sum, ms, cpu: (user + system) / 1_000 })}\n`)
await db.destroy()
