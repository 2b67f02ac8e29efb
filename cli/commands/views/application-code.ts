import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The application's own code by its paths, without its tests. */
export type ApplicationCode = ReadonlyMap<string, string>

export const codeIn = (root: string): ApplicationCode =>
  new Map(
    globSync('app/**/*.ts', { cwd: root, exclude: ['app/framework/**', '**/*.test.ts'] }).map((path) => [
      path.replaceAll('\\', '/'),
      readFileSync(join(root, path), 'utf8'),
    ]),
  )
