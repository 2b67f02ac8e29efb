import { nearest } from '../../../nearest.ts'
import type { DeclaredRoutes } from '../declared-routes.ts'
import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** The beginning of an address up to its first tag, `?` or `#`, and what follows. */
const LITERAL = /\s(?:href|action|hx-(?:get|post|put|patch|delete))="(\/(?!\/)[^"<?#.]*)(["?#<.])/g

const COMMENT = /<!--[^]*?-->|<%\s*\/\*[^]*?\*\/\s*%>|<(pre|script|style)\b[^]*?<\/\1>/g

/** Returns the addresses of this application that no route has. Of one with a tag, the parts before it are compared; one with a dot is a file. */
export function unknownPaths({ source }: ViewSource, { paths }: DeclaredRoutes): Mistake[] {
  if (paths.length === 0) return []
  const html = source.replaceAll(COMMENT, (text) => ' '.repeat(text.length))
  return [...html.matchAll(LITERAL)]
    .filter(
      ([, path = '', end]) => end !== '.' && !(end === '<' ? begins(paths, path) : hasPath(paths, path)),
    )
    .map(({ 1: path = '', index }) => {
      const best = nearest(path, paths)
      return {
        start: index + 1,
        message: `security.manifest.json has no route ${path}.${best === null ? '' : ` Did you mean ${best}?`}`,
      }
    })
}

/** Whether a route begins with the whole parts of a text that a tag continues. */
const begins = (routes: readonly string[], text: string): boolean => {
  const whole = text.split('/').slice(0, -1)
  return routes.some((route) => {
    const parts = route.split('/')
    return whole.every(
      (part, at) => parts[at]?.startsWith(':') || parts[at]?.startsWith('*') || part === parts[at],
    )
  })
}

/** Returns whether a route has the path, in which a part can be a parameter. */
export const hasPath = (routes: readonly string[], path: string): boolean =>
  routes.some((route) => matches(route, path))

function matches(route: string, path: string): boolean {
  const [parts, others] = [route.toLowerCase().split('/'), path.toLowerCase().split('/')]
  const rest = parts.findIndex((part) => part.startsWith('*'))
  const own = rest === -1 ? parts : parts.slice(0, rest)
  return (
    (rest === -1 ? own.length === others.length : own.length < others.length) &&
    own.every((part, at) => part.startsWith(':') || others[at] === ':any' || part === others[at])
  )
}
