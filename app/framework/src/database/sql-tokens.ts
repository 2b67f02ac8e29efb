/**
 * Yields the words of SQL in lower case, and its other characters. Leaves out whitespace, comments, strings and quoted
 * names, by Postgres' lexical rules. A quote without an end hides nothing: what follows it is read as code.
 */
export function* sqlTokens(sql: string): Generator<string> {
  for (let at = 0; at < sql.length;) {
    const end = sql.startsWith('/*', at) ? endOfComment(sql, at) : endOf(HIDDEN, sql, at)
    if (end > at) {
      at = end
      continue
    }
    const token = sql.slice(at, Math.max(endOf(WORD, sql, at), at + 1))
    yield token.toLowerCase()
    at += token.length
    if (token.toLowerCase() === 'e') at = endOf(ESCAPE_STRING, sql, at)
  }
}

/** A word doesn't begin with a digit or with `$`: in `1$$`, a string begins. */
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y

/**
 * Space, `-- …`, a string, a quoted name, and `$tag$ … $tag$`. A doubled quote within a string ends it, and begins the next
 * one. A tag doesn't begin with a digit, since `$1` is a parameter.
 */
const HIDDEN = /\s+|--[^\n\r]*|'[^']*'|"[^"]*"|\$(?!\d)([\w\u0080-\uffff]*)\$.*?\$\1\$/sy

/** The string of E'it\'s': a backslash escapes a quote. In other strings it doesn't. */
const ESCAPE_STRING = /'(?:\\.|''|[^'\\])*'(?!')/sy

/** Returns the end of the match that begins at `start`. Returns `start` if there is none. */
function endOf(pattern: RegExp, sql: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(sql) ? pattern.lastIndex : start
}

/** Comments nest. Returns `start` for a comment without an end. */
function endOfComment(sql: string, start: number): number {
  let depth = 0
  for (const { 0: mark, index } of sql.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return start + index + 2
  }
  return start
}
