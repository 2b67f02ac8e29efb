import { Client } from 'pg'

/** Returns whether the URL leads to a connection pooler: its process ids are not those of Postgres. */
export async function isPooled(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url }) as Client & { processID?: number }
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  await client.end()
  return rows[0]?.pid !== client.processID
}
