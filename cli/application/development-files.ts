import { z } from 'zod'
import { withoutSections, withoutTexts } from '../scaffold/companions.ts'
import { readBlob, textIn, textOf, type Tree, writeBlob } from '../upgrade/tree.ts'

// Each version has its own list, because an upgrade compares versions whose lists differ.
const LIST = 'cli/application/development.json'

/** What serves only the development of Pergola: files, keys of JSON files, and parts of other files. */
export const developmentSchema = z.object({
  /** Files and folders. */
  paths: z.array(z.string()).default([]),
  /** Files in these folders that an application needs. */
  except: z.array(z.string()).default([]),
  /** Keys by file, such as `["scripts", "bench"]`. */
  keys: z.record(z.string(), z.array(z.array(z.string()))).default({}),
  /** Texts by file. */
  texts: z.record(z.string(), z.array(z.string())).default({}),
})

type Development = z.output<typeof developmentSchema>

/** The tests of the framework and of the command line. An add-on has tests of its own. */
const TESTS = /^(?:app\/framework|cli(?!\/add-ons\/[^/]+\/files\/))\/.*\.(?:test|matrix)\.ts$/

/** Returns a version of Pergola without its development files. Writes changed files into the store. */
export function withoutDevelopment(store: string, version: Tree): Tree {
  const list = developmentSchema.parse(JSON.parse(textIn(store, version, LIST) || '{}'))
  const isLeftOut = (path: string) =>
    TESTS.test(path) || list.paths.some((one) => path === one || path.startsWith(`${one}/`))
  const kept = [...version].filter(([path]) => list.except.includes(path) || !isLeftOut(path))
  return new Map(
    kept.map(([path, entry]) => {
      const before = isCut(path, list) ? textOf(readBlob(store, entry)) : null
      const after = before === null ? null : withoutParts(path, before, list)
      return [path, after === null || after === before ? entry : { ...entry, id: writeBlob(store, after) }]
    }),
  )
}

const isCut = (path: string, { keys, texts }: Development): boolean =>
  path in keys || path in texts || path.endsWith('.md')

function withoutParts(path: string, text: string, { keys, texts }: Development): string {
  const own = keys[path]
  if (own !== undefined) return `${JSON.stringify(withoutKeys(JSON.parse(text) as Json, own), null, 2)}\n`
  // Sections of guides, from `<!-- development -->` to `<!-- /development -->`.
  const rest = withoutTexts(withoutSections(text, { folder: 'development' }), texts[path] ?? [])
  return rest.replace(/\n+$/, '\n')
}

type Json = Readonly<Record<string, unknown>>

const withoutKeys = (value: Json, keys: readonly (readonly string[])[]): Json =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const own = keys.filter(([first]) => first === key).map(([, ...rest]) => rest)
      if (own.some((rest) => rest.length === 0)) return []
      return [[key, own.length === 0 ? inner : withoutKeys(inner as Json, own)]]
    }),
  )
