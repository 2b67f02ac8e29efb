import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Tables } from 'pergola'

/** Returns the statements of a schema that the documentation of a well-known database describes, with a few rows. */
export const schemaNamed = (name: 'pagila' | 'northwind'): string =>
  readFileSync(join(import.meta.dirname, 'schemas', `${name}.sql`), 'utf8')

/** Executes several statements. */
export const execute = async (db: Kysely<Tables>, text: string): Promise<void> =>
  void (await db.executeQuery({ sql: text, parameters: [], query: {} } as never))
