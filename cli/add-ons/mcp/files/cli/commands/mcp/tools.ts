import { execFile } from 'node:child_process'
import { sql } from 'kysely'
import { pino } from 'pino'
import { database, withDatabase } from 'pergola'
import { withPatientDatabase } from 'pergola/database'
import { z } from 'zod'
import { readConfig } from '#app/config.ts'
import { onServer } from '../../in-database.ts'
import { searchDocuments } from './search-documents.ts'

/** What a coding tool may ask. `run` returns text; an error becomes the answer of the protocol. */
export interface Tool {
  readonly description: string
  readonly input: Readonly<Record<string, z.ZodType>>
  readonly run: (input: Record<string, unknown>) => Promise<string>
}

/** Infers the type of the input. */
const tool = <const Input extends Record<string, z.ZodType>>(
  description: string,
  input: Input,
  run: (input: z.output<z.ZodObject<Input>>) => Promise<string>,
): Tool => ({ description, input, run: (values) => run(values as z.output<z.ZodObject<Input>>) })

/** An argument of a command, which must not be an option. */
const word = z.string().regex(/^[^-]/, 'must not begin with -')

/** Returns the tools by their names. Without `withData`, none returns the content of records. */
export const toolsFor = (withData: boolean): Record<string, Tool> => ({
  routes: tool('All routes of production with their guards, as JSON.', {}, () => cli('routes', '--json')),
  route_info: tool(
    'The guards, the rules and the handler of one request, each with its file and line.',
    { request: word.describe("like 'GET /posts/7'") },
    ({ request }) => cli('routes', '--info', request),
  ),
  explain_decision: tool(
    'Why a policy allows or denies an action of a user on a record.',
    {
      user: word.describe('an email address, an id, or guest'),
      action: word,
      resource: word,
      id: word.optional(),
    },
    ({ user, action, resource, id }) => cli('why', user, action, resource, ...(id === undefined ? [] : [id])),
  ),
  tables: tool('The tables of the database with their columns and types, as JSON.', {}, tables),
  search_documents: tool('The sections of the documents that fit best.', { words: z.string() }, ({ words }) =>
    searchDocuments(words),
  ),
  check_views: tool('The type errors of the views and of the application.', {}, () => cli('views', 'check')),
  scaffold_dry_run: tool(
    'The files that `npx cli scaffold` would write. Writes nothing.',
    { model: word, fields: z.array(word).describe('like title:string:1..200') },
    ({ model, fields }) => cli('scaffold', model, ...fields, '--dry-run'),
  ),
  requests: tool(
    'What the last requests of `npm run dev` did, as JSON: guards, decisions, statements, N+1, errors.',
    { only_errors: z.boolean().default(false) },
    ({ only_errors }) => requests(only_errors, withData),
  ),
  ...(withData && {
    rows: tool(
      'The first rows of a table, as JSON.',
      { table: word, limit: z.int().min(1).max(100).default(20) },
      ({ table, limit }) => inOwnDatabase(() => rowsOf(table, limit)),
    ),
  }),
})

async function rowsOf(table: string, limit: number): Promise<unknown[]> {
  return (await sql`select * from ${sql.table(table)} limit ${limit}`.execute(database())).rows
}

/** Runs a command of this application, and returns what it prints. */
const cli = (...words: string[]): Promise<string> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, NO_COLOR: '1' }, maxBuffer: 50_000_000 }
    execFile(process.execPath, ['cli/main.ts', ...words], options, (_error, stdout, stderr) =>
      resolve([stdout, stderr].filter(Boolean).join('\n')),
    )
  })

/** Returns what `read` returns, as JSON. Its log is silent, because stdout belongs to the protocol. */
const inOwnDatabase = (read: () => Promise<unknown>): Promise<string> =>
  onServer(readConfig(), (url) =>
    withPatientDatabase(url, { log: pino({ level: 'silent' }) }, async (db) =>
      JSON.stringify(await withDatabase(db, read), null, 2),
    ),
  )

const tables = (): Promise<string> =>
  inOwnDatabase(async () => {
    const { rows } = await sql<{ table: string; columns: unknown }>`
      select table_name as "table",
        json_agg(column_name || ' ' || udt_name || case is_nullable when 'YES' then ' null' else '' end
          order by ordinal_position) as columns
      from information_schema.columns
      where table_schema = current_schema()
      group by table_name
      order by table_name`.execute(database())
    return rows
  })

interface Recorded {
  readonly outcome: { readonly status: number | null; readonly error?: string } | null
  readonly log: unknown
}

async function requests(onlyErrors: boolean, withData: boolean): Promise<string> {
  const { server } = readConfig()
  const url = `http://localhost:${process.env['PORT'] ?? server.port}/_dev/requests`
  const response = await fetch(url, { headers: { accept: 'application/json' } }).catch(() => null)
  if (!response?.ok)
    throw new Error(`${url} doesn't answer. Run \`npm run dev\`. If it uses another port, set PORT.`)
  const all = (await response.json()) as Recorded[]
  const wanted = all.filter(({ outcome }) => !onlyErrors || (outcome?.status ?? 500) >= 400)
  // A line of the log can have the content of a record.
  return JSON.stringify(
    wanted.map(({ log, ...rest }) => (withData ? { ...rest, log } : rest)).slice(0, 20),
    null,
    2,
  )
}
