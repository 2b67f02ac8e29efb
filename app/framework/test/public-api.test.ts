import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

interface Export {
  readonly name: string
  /** The file of its declaration. */
  readonly file: string
}

const publicApi = JSON.parse(read('test/public-api.json')) as Record<string, string[]>
const { exports: entries } = JSON.parse(read('package.json')) as { exports: Record<string, string> }

describe.each(Object.entries(entries))('the entry %s', (entry, file) => {
  const exported = exportsOf(file)

  // Applications import these names. Describe added and removed names in CHANGELOG.md, then update the list.
  it('exports the names in public-api.json', () => {
    const names = exported.map(({ name }) => name).toSorted()
    expect({ [entry]: names }).toEqual({ [entry]: publicApi[entry] })
  })

  it('contains only exports with names', () => {
    // The entry `pergola` also attaches the faster parts.
    const withoutComments = read(file)
      .replaceAll(/^import \{ speedUp \}.*$|^if \(.*\) speedUp\(\)$/gm, '')
      .replaceAll(/\/\*\*.*?\*\/|^\/\/.*$/gms, '')
    expect(withoutComments.replaceAll(NAMED_EXPORTS, '').trim()).toBe('')
  })

  it.each(exported)('documents $name', ({ name, file }) => {
    expect(docstringOf(name, read(file))).toMatch(/\w.*[.:}`]/s)
  })
})

describe('the entries of the package', () => {
  it('are the entries in public-api.json', () => {
    expect(Object.keys(publicApi)).toEqual(Object.keys(entries).toSorted())
  })

  it('export no name twice', () => {
    const names = Object.values(entries).flatMap((file) => exportsOf(file).map(({ name }) => name))
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([])
  })
})

describe('docstringOf', () => {
  it('returns the comment above a declaration, even if a linter comment is between them', () => {
    expect(docstringOf('a', '/** First. */\nexport const a = 1\n')).toBe('/** First. */')
    expect(docstringOf('A', '/** First. */\n// oxlint-disable-next-line x\nexport interface A {}')).toBe(
      '/** First. */',
    )
    expect(docstringOf('a', '/**\n * First.\n */\nexport async function a() {}')).toContain('First.')
  })

  it('returns an empty string if another declaration is between them', () => {
    expect(docstringOf('b', '/** First. */\nexport const a = 1\nexport const b = 1\n')).toBe('')
    expect(docstringOf('b', '/** First. */\n\nconst a = 1\n\nexport const b = 1\n')).toBe('')
  })
})

// Parses the text, because the compiler API of TypeScript 7 is unstable.

/** Matches `export { type Page, toPage } from './page.ts'`. */
const NAMED_EXPORTS = /^export (?:type )?\{([^}]*)\} from '([^']+)'$/gm

function exportsOf(entry: string): Export[] {
  return [...read(entry).matchAll(NAMED_EXPORTS)].flatMap(([, names = '', path = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((name) => ({ name, file: join(dirname(entry), path) })),
  )
}

/** Returns the comment above the first declaration of this name, or an empty string. */
function docstringOf(name: string, source: string): string {
  const declaration = new RegExp(
    `^export (?:abstract |async )?(?:class|const|function|interface|type) ${name}\\b`,
    'm',
  )
  const at = source.search(declaration)
  if (at === -1) throw new Error(`No file declares ${name} where its entry exports it from.`)
  const [comment = ''] = /\/\*\*(?:(?!\*\/).)*\*\/\n(?:\/\/ oxlint-.*\n)?$/s.exec(source.slice(0, at)) ?? []
  return comment.replace(/\n(?:\/\/.*\n)?$/, '')
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
