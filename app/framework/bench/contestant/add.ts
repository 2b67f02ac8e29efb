import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { clone } from './application.ts'
import { contestantEnvironment, databaseUrl } from './environment.ts'
import { startOptions } from './start-options.ts'

/**
 * Adds this clone to a benchmark that compares web frameworks, under the name `pergola`, and beside it `express-sessions`,
 * the benchmark's Express application by hand with sessions that can be ended:
 *
 *     node app/framework/bench/contestant/add.ts ../bench --database perf10k --database perf1m
 *
 * The folder has a `contestants.json`, and each database the tables `posts` and `users` with the same rows for all
 * contestants. The application's other tables are created in a schema of their own, beside them.
 */
const USAGE = `Usage: node app/framework/bench/contestant/add.ts <folder> [--database <name>]...

Adds this clone to the benchmark in the folder, which has a contestants.json, as the contestants pergola and
express-sessions. Creates the schema pergola in each database; the default is perf10k. PGHOST, PGPORT and PGUSER name
the server.`

const { folder, file, databases } = readArguments(process.argv.slice(2))
for (const name of databases) await prepare({ ...process.env, PGDATABASE: name })
const contestants = JSON.parse(readFileSync(file, 'utf8')) as { name: string }[]
const added = [expressSessions(folder), contestant(folder)]
const others = contestants.filter(({ name }) => !added.some((one) => one.name === name))
writeFileSync(file, `${JSON.stringify([...others, ...added], null, 1)}\n`)

interface Target {
  readonly folder: string
  readonly file: string
  readonly databases: readonly string[]
}

/** Returns the arguments. Prints the usage and exits for `--help`, and for arguments that are invalid. */
function readArguments(args: string[]): Target {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        database: { type: 'string', multiple: true, default: ['perf10k'] },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help === true) exit(0, USAGE)
    const [target] = positionals
    if (target === undefined) throw new Error('The folder of the benchmark is missing.')
    const path = join(target, 'contestants.json')
    if (!existsSync(path)) throw new Error(`${path} does not exist. Pass the folder of the benchmark.`)
    return { folder: target, file: path, databases: values.database }
  } catch (error) {
    return exit(2, `${(error as Error).message}\n\n${USAGE}`)
  }
}

function exit(code: number, text: string): never {
  if (code === 0) console.log(text)
  else console.error(text)
  process.exit(code)
}

/** Copies the contestant, because it imports files of the contestant `express`. */
function expressSessions(to: string) {
  const cwd = 'contestants/express-sessions'
  cpSync(join(import.meta.dirname, 'express-sessions'), join(to, cwd), { recursive: true })
  const start = ['{node}', 'server.mjs']
  return { name: 'express-sessions', cwd, start, batch: [...start, 'batch'] }
}

function contestant(from: string) {
  const start = ['{node}', ...startOptions, 'app/framework/bench/contestant/start.js']
  return {
    name: 'pergola',
    cwd: relative(from, clone),
    start,
    batch: [...start, 'batch'],
    login: '/bench/login?uid={uid}',
    offset: '/api/posts?page={page}&size={size}',
    cursor: '/api/posts?cursor=&size={size}',
    cursor_next: '/api/posts?cursor={cursor}&size={size}',
    row_re: '<a href="/posts/(\\d+)" dir="auto">',
    // The list counts up to this number of rows.
    html_cap: 1_000,
  }
}

/**
 * Creates the application's tables in the schema `pergola`. Its `posts` are a view of those that all contestants read,
 * without the deleted ones.
 */
async function prepare(env: NodeJS.ProcessEnv): Promise<void> {
  const client = new Client({ connectionString: databaseUrl(env) })
  await client.connect()
  await client.query('drop schema if exists pergola cascade; create schema pergola')
  execFileSync(process.execPath, ['cli/bin.js', 'db', 'migrate'], {
    cwd: clone,
    env: { ...env, ...contestantEnvironment(env) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await client.query(`
    drop table pergola.posts;
    alter table public.posts add column if not exists version integer not null default 1;
    create view pergola.posts as
      select id, author_id, title, body, published, created_at, version, xmin from public.posts where deleted_at is null;
    insert into pergola.users (id, name, email, password_digest, roles) overriding system value
      select id, name, name || '@example.org', '', case role when 'admin' then array['admin'] else '{}' end
      from public.users;
    analyze pergola.users`)
  await client.end()
}
