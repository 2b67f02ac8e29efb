import { z } from 'zod'
import { inTransaction, type NewRowOf } from 'pergola'
import type { TaskRun } from 'pergola/tasks'
import { posts } from '#app/posts/post.repository.ts'
import type { Post } from '#app/posts/post.ts'
import { checkedRows } from './checked-rows.ts'
import { type CsvFile, openCsv } from './csv-file.ts'
import { type CsvRecord, type Place, readRecords } from './read-records.ts'

/** A transaction each. */
const BATCH = 500
const BATCH_BYTES = 1_024 * 1_024
/** Bad lines that are told one by one; the others are counted. */
const TOLD = 100

const reachedSchema = z.object({
  size: z.number(),
  digest: z.string(),
  byte: z.number(),
  line: z.number(),
  imported: z.number(),
  refused: z.number(),
})
type Reached = z.output<typeof reachedSchema>

/**
 * Stores the posts of a file, a batch with the place behind it in one transaction: whatever stops it, a run that goes on
 * from there stores every good line once. Bad lines are told and left out.
 */
export async function importFile(path: string, run: TaskRun<unknown>): Promise<void> {
  const file = await openCsv(path)
  let reached = begin(file, run.position)
  const told = { bad: 0 }
  for await (const batch of batchesOf(readRecords(path, reached, file.size))) {
    run.signal.throwIfAborted()
    const rows = await checkedRows(file, batch.filter(isNotBlank))
    const good = rows.flatMap(({ post }) => post ?? [])
    reached = after(reached, batch.at(-1)?.next ?? reached, { good: good.length, all: rows.length })
    for (const { line, post, problem } of rows) if (post === null) tell(run, told, `line ${line}: ${problem}`)
    if (!run.dryRun) await store(good, () => run.checkpoint(JSON.stringify(reached)))
    run.progress({ rows: reached.imported, share: reached.byte / file.size })
  }
  const { imported, refused } = reached
  run.say(
    `${run.dryRun ? 'Would import' : 'Imported'} ${counted(imported, 'post')}; refused ${counted(refused, 'line')}.`,
  )
}

/** Where a file is begun, or gone on with. Throws when it isn't the file any more of which that was said. */
function begin({ size, digest, start }: CsvFile, position: string | null): Reached {
  if (position === null) return { size, digest, ...start, imported: 0, refused: 0 }
  const reached = reachedSchema.parse(JSON.parse(position))
  if (reached.size === size && reached.digest === digest) return reached
  throw new Error(
    `The file has changed since line ${reached.line}, up to which it is imported, so nobody can tell where to go on. ` +
      'Bring the old one back, or import what is missing as a file of its own.',
  )
}

const after = (reached: Reached, next: Place, { good, all }: { good: number; all: number }): Reached => ({
  ...reached,
  byte: next.byte,
  line: next.line,
  imported: reached.imported + good,
  refused: reached.refused + all - good,
})

const store = (rows: readonly NewRowOf<typeof Post>[], remember: () => Promise<void>) =>
  inTransaction(async () => {
    await posts.asSystem('import-posts').saveMany(rows)
    await remember()
  })

async function* batchesOf(records: AsyncIterable<CsvRecord>): AsyncGenerator<CsvRecord[]> {
  let batch: CsvRecord[] = []
  let bytes = 0
  for await (const record of records) {
    batch.push(record)
    bytes += record.bytes.length
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

const isNotBlank = ({ bytes, problem }: CsvRecord) => problem !== null || bytes.length > 0

function tell({ warn }: TaskRun<unknown>, told: { bad: number }, line: string): void {
  told.bad++
  if (told.bad <= TOLD) warn(line)
  if (told.bad === TOLD) warn('Further bad lines are only counted.')
}

const counted = (count: number, what: string) =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
