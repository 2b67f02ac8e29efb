import { nearest } from '../../../nearest.ts'
import type { DeclaredRoutes } from '../declared-routes.ts'
import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

const LITERAL = /\s(?:href|action|hx-(?:get|post|put|patch|delete))="(\/(?!\/)[^"<?#.]*)(?:[?#][^"<]*)?"/g

const COMMENT = /<!--[^]*?-->|<%\s*\/\*[^]*?\*\/\s*%>|<(pre|script|style)\b[^]*?<\/\1>/g

/** Returns the addresses of this application that no route has. An address with a tag or a dot is not checked. */
export function unknownPaths({ source }: ViewSource, { paths }: DeclaredRoutes): Mistake[] {
  if (paths.length === 0) return []
  const html = source.replaceAll(COMMENT, (text) => ' '.repeat(text.length))
  return [...html.matchAll(LITERAL)]
    .filter(([, path = '']) => !hasPath(paths, path))
    .map(({ 1: path = '', index }) => {
      const best = nearest(path, paths)
      return {
        start: index + 1,
        message: `security.manifest.json has no route ${path}.${best === null ? '' : ` Did you mean ${best}?`}`,
      }
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
