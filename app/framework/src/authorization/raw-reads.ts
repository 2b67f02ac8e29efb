/** Matches a raw select and a raw value of a select list, in JavaScript: sql`exists (select …)`, sql`count(*)`.as('n'). */
const RAW = /\bsql\)?\s*`[^`]*(?:\bselect\b[^`]*`|`\s*\)?\s*\.as\()|\bsql\)?\s*\.raw\b|\bCompiledQuery\b/i

/** Returns whether the source of a function contains raw SQL that reads rows. They are read without locks. */
export const readsWithRawSql = (read: (...args: never[]) => unknown): boolean => RAW.test(String(read))

const places = new Set<string>()

/** Remembers a lookup, which is declared at `place`, if it reads with raw SQL. */
export function registerLookup(find: (...args: never[]) => unknown, place: string): void {
  if (readsWithRawSql(find)) places.add(place)
}

/** Returns the places of the lookups that read with raw SQL. */
export const rawLookups = (): string[] => [...places].toSorted()
