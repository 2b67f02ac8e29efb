import { posix } from 'node:path'

// A static import begins its line, or ends a line that begins with a brace. An import(…) may be anywhere.
const IMPORT =
  /^(?:import|export|\}).*? from (?<of>['"])(?<from>[^'"\n]+)\k<of>|^import (?<by>['"])(?<alone>[^'"\n]+)\k<by>|\bimport\(\s*(?<at>['"`])(?<later>[^'"`\n]+)\k<at>/gm

/** Returns the imports of a file as paths from the root. The name of a package is returned as a file in the same folder. */
export function importsOf(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(IMPORT)].map(
    ({ groups = {} }) => groups['from'] ?? groups['alone'] ?? groups['later'] ?? '',
  )
  return specifiers.map((specifier) =>
    specifier.startsWith('#app/')
      ? specifier.replace('#app/', 'app/')
      : posix.join(posix.dirname(path), specifier),
  )
}

const INCLUDE = /\b(?:include(?:Async)?|layout)\(\s*(['"`])([^'"`\n]+)\1/g

/** Returns the views that a view includes, as paths from the root. */
export const includesOf = (path: string, text: string): string[] =>
  [...text.matchAll(INCLUDE)].map(([, , name = '']) => {
    const view = name.startsWith('/') ? posix.join('views', name) : posix.join(posix.dirname(path), name)
    return view.endsWith('.eta') ? view : `${view}.eta`
  })
