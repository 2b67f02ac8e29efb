import { execFileSync } from 'node:child_process'
import { Client } from 'pg'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { clone } from '../contestant/application.ts'
import { contestantEnvironment } from '../contestant/environment.ts'
import { databaseEnvironment } from './contestants.ts'

const USERS = 1_000

/**
 * Creates a database with the tables of the application, a thousand users and this number of posts, which are the same
 * on every machine. Returns its URL.
 */
export async function createPosts(adminUrl: string, name: string, rows: number): Promise<string> {
  await createDatabase(adminUrl, name)
  const url = databaseUrl(adminUrl, name)
  const env = databaseEnvironment(url)
  execFileSync(process.execPath, ['cli/bin.js', 'db', 'migrate'], {
    cwd: clone,
    env: { ...env, ...contestantEnvironment(env) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await fill(client, rows)
  } finally {
    await client.end()
  }
  return url
}

async function fill(client: Client, rows: number): Promise<void> {
  await client.query(
    `insert into users (id, name, email, password_digest) overriding system value
     select n, 'User ' || n, 'user' || n || '@example.test', '' from generate_series(1, $1::int) n`,
    [USERS],
  )
  const indexes = await dropSearchIndexes(client)
  // The hash spreads authors and drafts evenly. Three posts share each timestamp, which has microseconds.
  await client.query(
    `insert into posts (id, title, body, published, author_id, created_at) overriding system value
     select n, 'Post ' || n || ' <b>&</b> its title', repeat('Sentence ' || n || ' of this post. ', 9),
       abs(hashint8(n * 13)::bigint) % 10 < 8, 1 + abs(hashint8(n)::bigint) % $2::int,
       timestamptz '2024-01-01Z' + (n / 3) * interval '1.000003 seconds'
     from generate_series(1, $1::bigint) n`,
    [rows, USERS],
  )
  await client.query(`set maintenance_work_mem = '256MB'`)
  for (const definition of indexes) await client.query(definition)
  await client.query('vacuum (analyze) posts')
  await client.query('vacuum (analyze) users')
}

/** Drops the indexes of words, which are built much faster after the rows. Returns the statements that create them. */
async function dropSearchIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'posts' and indexdef like '%USING gin%'`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}
