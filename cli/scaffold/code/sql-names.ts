/** Keywords of Postgres that can't be names in an expression. */
const RESERVED = new Set(
  (
    'all analyse analyze and any array as asc asymmetric authorization between binary both case cast check coalesce ' +
    'collate collation column concurrently constraint create cross current_catalog current_date current_role ' +
    'current_schema current_time current_timestamp current_user default deferrable desc distinct do else end except ' +
    'exists extract false fetch for foreign freeze from full grant greatest group grouping having ilike in initially ' +
    'inner interval into intersect is isnull join lateral leading least left like limit localtime localtimestamp ' +
    'natural normalize not notnull null nullif offset on only or order outer overlaps overlay placing position ' +
    'primary references returning right row select session_user similar some substring symmetric system_user table ' +
    'tablesample then time timestamp to trailing treat trim true union unique user using values variadic verbose ' +
    'when where window with'
  ).split(' '),
)

/** Returns a column for an expression, in quotes if its name is a keyword. */
export const sqlName = (column: string): string => (RESERVED.has(column) ? `"${column}"` : column)

/** Returns a text literal of SQL for a template literal. */
export const sqlText = (text: string): string =>
  `'${text.replaceAll("'", "''").replaceAll(/[\\`]|\$\{/g, String.raw`\$&`)}'`
