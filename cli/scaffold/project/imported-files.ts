import { posix } from 'node:path'

// Static imports begin their line, or end one that a brace begins; an import(…) may stand anywhere.
const IMPORT =
  /^(?:import|export|\}).*? from (?<of>['"])(?<from>[^'"\n]+)\k<of>|^import (?<by>['"])(?<alone>[^'"\n]+)\k<by>|\bimport\(\s*(?<at>['"`])(?<later>[^'"`\n]+)\k<at>/gm

/** The files of the project that code imports, from the root. Its packages are there too, as if they were beside it. */
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

/** The views that a view includes, from the root. */
export const includesOf = (path: string, text: string): string[] =>
  [...text.matchAll(INCLUDE)].map(([, , name = '']) => {
    const view = name.startsWith('/') ? posix.join('views', name) : posix.join(posix.dirname(path), name)
    return view.endsWith('.eta') ? view : `${view}.eta`
  })
