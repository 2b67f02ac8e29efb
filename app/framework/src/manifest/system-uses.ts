/** The text of a source file of the application. */
export interface Source {
  readonly file: string
  readonly text: string
}

/** A call without policy and scope: `posts.asSystem('seed')`. */
export interface SystemUse {
  readonly file: string
  /** The expression before `.asSystem`, as written. */
  readonly repository: string
  /** Null if the reason is not a literal. */
  readonly why: string | null
}

const UNNAMED = '(an unnamed expression)'
const COMMENT = /^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm
const BEFORE = /([\w$]+(?:\s*\??\.\s*[\w$]+|\([^()]*\)|\[[^\]]*\])*)\s*\??\.\s*$/
const AFTER = /^\s*\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\$])*)`)\s*,?\s*\)/

/** Returns every mention of `asSystem` outside of comments, including those that don't look like a call. */
export function systemUses(sources: readonly Source[]): SystemUse[] {
  return sources.flatMap(({ file, text }) => {
    const code = text.replaceAll(COMMENT, '')
    return [...code.matchAll(/\basSystem\b/g)].map(({ index }) => ({ file, ...useAt(code, index) }))
  })
}

function useAt(code: string, index: number): Omit<SystemUse, 'file'> {
  const [, repository = UNNAMED] = BEFORE.exec(code.slice(Math.max(0, index - 200), index)) ?? []
  const [, single, double, template] = AFTER.exec(code.slice(index + 'asSystem'.length)) ?? []
  return { repository: repository.replaceAll(/\s+/g, ''), why: single ?? double ?? template ?? null }
}
