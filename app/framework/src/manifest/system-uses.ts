/** The text of a source file of the application. */
export interface Source {
  readonly file: string
  readonly text: string
}

/** A place where nobody is asked: `posts.asSystem('seed')`. */
export interface SystemUse {
  readonly file: string
  /** The expression before `.asSystem`, as written. */
  readonly repository: string
  /** Null when it is no literal, so that only the code can tell. */
  readonly why: string | null
}

const NOBODY = '(nothing that can be named)'
const COMMENT = /^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm
const BEFORE = /([\w$]+(?:\s*\??\.\s*[\w$]+|\([^()]*\)|\[[^\]]*\])*)\s*\??\.\s*$/
const AFTER = /^\s*\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\$])*)`)\s*,?\s*\)/

/** Every mention of `asSystem` outside of comments. Rather one too many: what doesn't look like a call is listed too. */
export function systemUses(sources: readonly Source[]): SystemUse[] {
  return sources.flatMap(({ file, text }) => {
    const code = text.replaceAll(COMMENT, '')
    return [...code.matchAll(/\basSystem\b/g)].map(({ index }) => ({ file, ...useAt(code, index) }))
  })
}

function useAt(code: string, index: number): Omit<SystemUse, 'file'> {
  const [, repository = NOBODY] = BEFORE.exec(code.slice(Math.max(0, index - 200), index)) ?? []
  const [, single, double, template] = AFTER.exec(code.slice(index + 'asSystem'.length)) ?? []
  return { repository: repository.replaceAll(/\s+/g, ''), why: single ?? double ?? template ?? null }
}
