import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { database, type NewRowOf } from 'pergola'
import { Post } from '#app/posts/post.ts'
import { type CsvFile, parseRecords } from './csv-file.ts'
import type { CsvRecord } from './read-records.ts'

/** A line of the file: a post to store, or why it is none. */
export interface Checked {
  readonly line: number
  readonly post: NewRowOf<typeof Post> | null
  readonly problem: string
}

type Fields = Partial<Record<string, string>>

/** What the records say, checked as a form would be; authors are looked up all at once. */
export async function checkedRows(file: CsvFile, records: readonly CsvRecord[]): Promise<Checked[]> {
  const rows = fieldsOf(file, records)
  const authors = await authorIds(rows.map(({ fields }) => emailOf(fields)))
  return rows.map(({ line, fields, problem }) =>
    fields === null ? { line, post: null, problem } : { line, ...checked(fields, authors) },
  )
}

interface Row {
  readonly line: number
  readonly fields: Fields | null
  readonly problem: string
}

function fieldsOf({ columns }: CsvFile, records: readonly CsvRecord[]): Row[] {
  const problems = records.map(problemOf)
  const parsed = parseRecords(records.filter((_, at) => problems[at] === null).map(({ bytes }) => bytes))
  let next = 0
  return records.map(({ line }, at) => {
    const problem = problems[at]
    if (problem != null) return { line, fields: null, problem }
    const values = parsed[next++] ?? []
    if (values.length !== columns.length)
      return {
        line,
        fields: null,
        problem: `it has ${values.length} ${values.length === 1 ? 'column' : 'columns'}, and not ${columns.length}`,
      }
    return { line, fields: Object.fromEntries(columns.map((name, at) => [name, values[at]])), problem: '' }
  })
}

function problemOf({ bytes, problem }: CsvRecord): string | null {
  if (problem !== null) return problem
  if (!isUtf8(bytes)) return 'it is not UTF-8'
  return bytes.includes(0) ? 'it has a zero byte, which no text has' : null
}

const emailOf = (fields: Fields | null) => (fields?.['author'] ?? '').trim().toLowerCase()

async function authorIds(emails: readonly string[]): Promise<Map<string, number>> {
  const wanted = [...new Set(emails)].filter((email) => email !== '')
  if (wanted.length === 0) return new Map()
  const found = await database()
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', 'in', wanted)
    .execute()
  return new Map(found.map(({ id, email }) => [email, id]))
}

const yesOrNo = z.stringbool('Say true or false.')

function checked(fields: Fields, authors: Map<string, number>): Omit<Checked, 'line'> {
  const author_id = authors.get(emailOf(fields))
  if (author_id === undefined)
    return { post: null, problem: `author: nobody signed up as ${JSON.stringify(fields['author'] ?? '')}` }
  const published = yesOrNo.safeParse(fields['published']?.trim() || 'false')
  const { title, body } = fields
  const input = Post.input.safeParse({ title, body, published: published.data ?? false })
  const [issue] = [...(published.error?.issues ?? []).map(asPublished), ...(input.error?.issues ?? [])]
  if (issue !== undefined || !input.success)
    return { post: null, problem: `${issue?.path.join('.')}: ${issue?.message}` }
  return { post: { ...input.data, author_id }, problem: '' }
}

const asPublished = ({ message }: { message: string }) => ({ path: ['published'], message })
