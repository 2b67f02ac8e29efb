const WORDS = /\b(?:xmin|ctid|tablesample|pg_locks|pg_(?:try_)?advisory_\w+)\b/i

/**
 * Returns the first word of a statement that only Postgres itself understands, such as `xmin`; null without one. Ignores
 * the contents of strings, with which the catalogs are asked for such words.
 */
export const postgresWord = (sql: string): string | null =>
  WORDS.exec(sql.replaceAll(/'(?:[^']|'')*'/g, "''"))?.[0] ?? null
