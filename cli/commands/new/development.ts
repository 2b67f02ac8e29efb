import { withoutSections } from '../../scaffold/companions.ts'
import { isSame, readBlob, type Sides, textIn, textOf, type Tree, writeBlob } from '../../upgrade/tree.ts'

/** The folders and files that serve only the development of Pergola itself. `npx cli new` leaves them out. */
export const DEVELOPMENT_PATHS = [
  '.ci',
  'app/framework/CHANGELOG.md',
  'app/framework/bench',
  'app/framework/lab',
  'app/framework/test',
  'app/framework/vitest.config.ts',
  'cli/docs',
  'cli/docs.ts',
  'cli/guide',
  'cli/release',
  'cli/release.ts',
  'cli/screenshots',
  'cli/screenshots.ts',
  'cli/test-support',
  'cli/vitest.config.ts',
  'CHANGELOG.md',
  'docs/contributing.md',
  'docs/decisions',
  'docs/performance.md',
  'docs/production/faults.md',
  'docs/reference/pergola-lab.md',
  'docs/SECURITY.md',
  'docs/style.md',
  'e2e/screenshots',
  'LICENSE',
  'llms.txt',
  'README.md',
] as const

const SCRIPT = String.raw`(?:test:\w+|bench|release|docs|screenshots)`

export const isDevelopmentScript = (name: string): boolean => new RegExp(`^${SCRIPT}$`).test(name)

/** The parts of other files that serve only the development of Pergola, by path. */
export const DEVELOPMENT_TEXTS: Readonly<Record<string, readonly RegExp[]>> = {
  'package.json': [
    new RegExp(String.raw`^ {4}"(?:pre)?${SCRIPT}": .*\n`, 'gm'),
    / && tsc -p app\/framework\/lab\/suites && tsc -p app\/framework\/test\/browser/g,
  ],
  'app/framework/package.json': [/^ {4}"\.\/lab": .*\n/gm, /^ {2}"scripts": \{[^}]*\},\n/gm],
  '.github/workflows/ci.yml': [/, 'test:framework', 'test:cli'/g],
}

/** The tests of the framework and of the command line. An add-on has tests of its own. */
const TESTS = /^(?:app\/framework|cli(?!\/add-ons\/[^/]+\/files\/))\/.*\.(?:test|matrix)\.ts$/

/** Tools and pictures in these folders that an application needs too. */
const KEPT = ['app/framework/bench/overload.ts', 'app/framework/bench/pagination.svg']

export const isForDevelopment = (path: string): boolean =>
  !KEPT.includes(path) &&
  (TESTS.test(path) || DEVELOPMENT_PATHS.some((one) => path === one || path.startsWith(`${one}/`)))

/** Returns a version of Pergola without what serves only its own development. */
export function applicationTree(store: string, tree: Tree, unchanged: Tree = new Map()): Tree {
  const kept = [...tree].filter(([path]) => !isForDevelopment(path))
  return new Map(
    kept.map(([path, entry]) => {
      if (isSame(entry, unchanged.get(path))) return [path, entry]
      const before = isCut(path) ? textOf(readBlob(store, entry)) : null
      const after = before === null ? null : withoutParts(path, before)
      return [path, after === before || after === null ? entry : { ...entry, id: writeBlob(store, after) }]
    }),
  )
}

const isCut = (path: string): boolean => path in DEVELOPMENT_TEXTS || path.endsWith('.md')

/** Removes these parts of a file, and the sections of a guide from `<!-- development -->` to `<!-- /development -->`. */
const withoutParts = (path: string, text: string): string =>
  (DEVELOPMENT_TEXTS[path] ?? []).reduce(
    (rest, part) => rest.replaceAll(part, ''),
    withoutSections(text, { folder: 'development' }),
  )

/** Returns both versions as `npx cli new` writes them, if the application began with it. */
export function withoutDevelopment(store: string, { base, ours, theirs }: Sides): Sides {
  if (!isCreated(textIn(store, ours, 'package.json'))) return { base, ours, theirs }
  return { ours, base: applicationTree(store, base, theirs), theirs: applicationTree(store, theirs, base) }
}

/** Returns whether `npx cli new` created the application of this package.json. */
export const isCreated = (packageJson: string): boolean =>
  (JSON.parse(packageJson || '{}') as { pergola?: { readonly development?: boolean } }).pergola
    ?.development === false
