/**
 * Yields the words of SQL in lower case, and its other characters. Leaves out whitespace, comments, strings and quoted
 * names, by Postgres' lexical rules. A quote without an end hides nothing: what follows it is read as code.
 */
export function* sqlTokens(sql: string): Generator<string> {
  for (let at = 0; at < sql.length;) {
    const end = endOfHidden(sql, at)
    if (end > at) {
      at = end
      continue
    }
    const token = sql.slice(at, Math.max(endOfWord(sql, at), at + 1))
    yield token.toLowerCase()
    at += token.length
    // In E'it\'s', a backslash escapes a quote. In other strings it doesn't.
    if (token.toLowerCase() === 'e' && sql[at] === "'") at = endOfEscapeString(sql, at)
  }
}

/** Returns the end of the space, comment or quote that begins at `start`. Returns `start` if there is none. */
function endOfHidden(sql: string, start: number): number {
  const char = sql.charAt(start)
  if (char.trim() === '') return start + 1
  if (sql.startsWith('--', start)) return endOfLine(sql, start)
  if (sql.startsWith('/*', start)) return endOfComment(sql, start)
  // A doubled quote within a string ends it, and begins the next one.
  if (char === "'" || char === '"') return endAfter(sql, char, start)
  return char === '$' ? endOfDollarString(sql, start) : start
}

/** Returns the end of the string that `quote` opens at `start` and closes later. Returns `start` if it doesn't. */
function endAfter(sql: string, quote: string, start: number): number {
  const at = sql.indexOf(quote, start + quote.length)
  return at < 0 ? start : at + quote.length
}

function endOfLine(sql: string, start: number): number {
  let end = start
  while (end < sql.length && sql[end] !== '\n' && sql[end] !== '\r') end++
  return end
}

/** Comments nest. */
function endOfComment(sql: string, start: number): number {
  let depth = 0
  for (let at = start; at < sql.length; at++) {
    const [opens, closes] = [sql.startsWith('/*', at), sql.startsWith('*/', at)]
    if (!opens && !closes) continue
    depth += opens ? 1 : -1
    at++
    if (depth === 0) return at + 1
  }
  return start
}

/** `$$…$$`, or with a tag: `$body$…$body$`. A tag doesn't begin with a digit, since `$1` is a parameter. */
function endOfDollarString(sql: string, start: number): number {
  let end = start + 1
  while (isWordCharacter(sql.charAt(end)) && sql[end] !== '$') end++
  const isTag = sql[end] === '$' && !isDigit(sql.charAt(start + 1))
  return isTag ? endAfter(sql, sql.slice(start, end + 1), start) : start
}

function endOfEscapeString(sql: string, start: number): number {
  for (let at = start + 1; at < sql.length; at++) {
    const isEscape = sql[at] === '\\' || sql.startsWith("''", at)
    if (isEscape) at++
    else if (sql[at] === "'") return at + 1
  }
  return start
}

/** A word doesn't begin with a digit or with `$`: in `1$$`, a string begins. */
function endOfWord(sql: string, start: number): number {
  let end = start
  const char = sql.charAt(start)
  if (char !== '$' && !isDigit(char)) while (isWordCharacter(sql.charAt(end))) end++
  return end
}

const isWordCharacter = (char: string): boolean =>
  (char >= 'a' && char <= 'z') ||
  (char >= 'A' && char <= 'Z') ||
  isDigit(char) ||
  char === '_' ||
  char === '$' ||
  char > '\x7f'

const isDigit = (char: string): boolean => char >= '0' && char <= '9'
