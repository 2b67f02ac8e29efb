import { Client } from 'pg'

/** Inserts `count` notes, three with each `created_at`, and creates their index and statistics. */
export async function fillNotes(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`insert into users (name, email) values ('Bench', 'bench@example.test')`)
    await client.query(
      `insert into notes (title, body, published, author_id, created_at)
       select 'Note ' || n, repeat(md5(n::text), 8), true, (select max(id) from users),
         timestamptz '2020-01-01Z' + (n / 3) * interval '1 second'
       from generate_series(1, $1::int) as n`,
      [count],
    )
    await client.query('create index if not exists bench_newest on notes (created_at desc, id desc)')
    await client.query('vacuum (analyze) notes')
  } finally {
    await client.end()
  }
}
