import { z } from 'zod'
import { type CsvRecord, csvRecords, pathArgument, task } from 'pergola/tasks'
import { database, inTransaction, type NewRowOf } from 'pergola'
import { posts } from '../post.repository.ts'
import { Post } from '../post.ts'

const COLUMNS = ['title', 'body', 'published', 'author'] as const
type Row = CsvRecord<(typeof COLUMNS)[number]>

export const importPosts = task('import-posts', {
  description:
    'Imports posts from a CSV file with the columns title, body, published and author (an email address).',
  args: z.object({ file: pathArgument().describe('the path of the file') }),
  dryRun: true,
  async run({ args, dryRun, signal, position, warn, checkpoint, progress, say }) {
    const file = csvRecords(args.file, { columns: COLUMNS, signal, position, warn })
    for await (const rows of file) {
      const drafts = await draftsOf(rows, (row, problem) => file.refuse(row, problem))
      if (!dryRun) {
        await inTransaction(async () => {
          await posts.asSystem('import-posts').saveMany(drafts)
          await checkpoint(file.position)
        })
      }
      progress(file.progress())
    }
    const verb = dryRun ? 'Would import' : 'Imported'
    say(`${verb} ${pluralize(file.accepted, 'post')}, rejected ${pluralize(file.refused, 'line')}.`)
  },
})

/** Returns the posts of the valid rows, and reports the other rows as refused. */
async function draftsOf(
  rows: readonly Row[],
  refuse: (row: Row, problem: string) => void,
): Promise<NewRowOf<typeof Post>[]> {
  const authors = await authorIds(rows.map(emailOf))
  return rows.flatMap((row) => {
    const { title, body, published } = row.values
    const author_id = authors.get(emailOf(row))
    const input = csvInput.safeParse({ title, body, published: published.trim() || 'false' })
    if (author_id !== undefined && input.success) return { ...input.data, author_id }
    const [issue] = input.error?.issues ?? []
    const isUnknown = author_id === undefined
    refuse(
      row,
      isUnknown
        ? `author: no user with the email address ${JSON.stringify(row.values.author)}`
        : `${issue?.path.join('.')}: ${issue?.message}`,
    )
    return []
  })
}

const csvInput = Post.input.extend({ published: z.stringbool('Use true or false.') })

const emailOf = ({ values }: Row) => values.author.trim().toLowerCase()

async function authorIds(emails: readonly string[]): Promise<Map<string, number>> {
  const distinct = [...new Set(emails)].filter((email) => email !== '')
  if (distinct.length === 0) return new Map()
  const users = await database()
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', 'in', distinct)
    .execute()
  return new Map(users.map(({ id, email }) => [email, id]))
}

const pluralize = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
