import { compileFunction } from 'node:vm'
import type { Eta } from 'eta'

/**
 * Returns the line of a view where its code has a syntax error; null if Eta itself rejects the view, since its message
 * then contains the line. Eta doesn't return the line of an error in the code between its tags.
 */
export function syntaxErrorLine(views: Eta, source: string): number | null {
  const code = debuggableCode(views, source)?.split('\n')
  if (code === undefined) return null
  const failed = failedLine(code)
  const mark = code.findLastIndex((line, index) => index <= failed && MARK.test(line))
  const line = Number(MARK.exec(code[mark] ?? '')?.[1] ?? 1)
  // A tag may have several lines. Its code begins after the line of the mark.
  const lines = source.split('\n')
  const place = lines.findIndex((text, index) => index >= line && text === code[failed])
  return place === -1 || failed === mark + 1 ? line : place + 1
}

/** Eta writes the line of each tag before its code: `__eta.line=12`. */
const MARK = /^__eta\.line=(\d+)$/

function debuggableCode(views: Eta, source: string): string | null {
  try {
    return views.withConfig({ debug: true }).compileToString(source)
  } catch {
    return null
  }
}

function failedLine(code: readonly string[]): number {
  try {
    compileFunction(code.join('\n'), [], { filename: 'view' })
  } catch (error) {
    const [, line = '1'] = /^view:(\d+)/.exec((error as Error).stack ?? '') ?? []
    return Number(line) - 1
  }
  return 0
}
