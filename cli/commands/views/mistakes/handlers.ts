import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeclaredRoutes } from '../declared-routes.ts'
import type { Mistake } from './unbalanced.ts'
import { otherRecordsIn } from './other-records.ts'
import { hasPath } from './unknown-paths.ts'

/** Returns the mistakes of handlers that TypeScript accepts, as `tsc` prints errors. */
export const wrongHandlers = (root: string, routes: DeclaredRoutes): string[] =>
  globSync('app/**/*.ts', { cwd: root, exclude: ['app/framework/**', '**/*.test.ts'] }).flatMap((path) => {
    const file = path.replaceAll('\\', '/')
    const text = readFileSync(join(root, path), 'utf8')
    return [...expressRender(text), ...wrongRedirects(text, routes), ...otherRecordsIn(text, routes)].map(
      ({ start, message }) => {
        const before = text.slice(0, start).split('\n')
        return `${file}(${before.length},${(before.at(-1)?.length ?? 0) + 1}): error: ${message}`
      },
    )
  })

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
