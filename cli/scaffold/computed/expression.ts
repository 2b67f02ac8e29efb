import { sqlName } from '../code/sql-names.ts'

/** The words of SQL that an expression may contain besides functions and types. */
const KEYWORDS = new Set(
  'and or not is null true false case when then else end in between like distinct from at time zone'.split(
    ' ',
  ),
)

/** Texts and types, then words and names: `'a text'`, `::text` and `as text`, `price` and `"order"`. Omits functions. */
const PARTS =
  /'(?:[^']|'')*'|(?:::\s*|\bas\s+)(?:double precision|character varying|\w+)|"[^"]*"|(?<![\w.])[a-z_]\w*\b(?!\s*\()/gi

const wordsIn = (expression: string): string[] =>
  (expression.toLowerCase().match(PARTS) ?? []).filter((part) => !/^(?:'|:|as\s)/.test(part))

/** Returns the columns in an expression. One with the name of a keyword is in quotes. */
export const columnsIn = (expression: string): string[] =>
  wordsIn(expression)
    .filter((word) => !KEYWORDS.has(word))
    .map((word) => word.replaceAll('"', ''))

/** Returns the keywords in an expression. */
export const keywordsIn = (expression: string): string[] =>
  wordsIn(expression).filter((word) => KEYWORDS.has(word))

const withColumns = (expression: string, replace: (column: string, part: string) => string): string =>
  expression.replaceAll(PARTS, (part) => {
    const [column] = columnsIn(part)
    return column === undefined ? part : replace(column, part)
  })

/** Returns the expression with a new name of a column. */
export const renamedIn = (expression: string, from: string, to: string): string =>
  withColumns(expression, (column, part) => {
    if (column !== from) return part
    return part.startsWith('"') || KEYWORDS.has(to) ? `"${to}"` : to
  })

/** Returns the expression for a statement, with quotes around columns that have the name of a keyword. */
export const expressionSql = (expression: string): string => withColumns(expression, sqlName)
