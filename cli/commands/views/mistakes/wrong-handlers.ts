import type { ApplicationCode } from '../application-code.ts'
import type { DeclaredRoutes } from '../declared-routes.ts'
import { placeIn } from '../position.ts'
import type { Mistake } from './unbalanced.ts'
import { otherRecordsIn } from './other-records.ts'
import { hasPath } from './unknown-paths.ts'

/** Returns the mistakes of handlers that TypeScript accepts, as `tsc` prints errors. */
export const wrongHandlers = (code: ApplicationCode, routes: DeclaredRoutes): string[] =>
  [...code].flatMap(([file, text]) =>
    [...expressRender(text), ...wrongRedirects(text, routes), ...otherRecordsIn(text, routes)].map(
      ({ start, message }) => `${placeIn(file, text, start)}: error: ${message}`,
    ),
  )

const expressRender = (text: string): Mistake[] =>
  [...text.matchAll(/(?<![.\w])res(?:\.status\([^()]*\))?\.render\(/g)].map(({ index: start }) => ({
    start,
    message: 'Express knows no views here. Write await render(res, …) with render of pergola.',
  }))

/** A redirect to a path that is a text, in which `${…}` stands for a part. */
const wrongRedirects = (text: string, { paths }: DeclaredRoutes): Mistake[] =>
  [...text.matchAll(/\.redirect\((?:\d+, )?(?:'|`)(\/(?!\/)[^'`?#]*)[^'`]*['`]\)/g)]
    .filter(([, path = '']) => paths.length > 0 && !hasPath(paths, path.replaceAll(/\$\{[^}]*\}/g, ':any')))
    .map(({ 1: path, index: start }) => ({
      start: start + 1,
      message: `security.manifest.json has no route ${path}.`,
    }))
