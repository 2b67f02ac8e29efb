import { describe, expect, it } from 'vitest'
import { digestOf } from '../project/file-text.ts'
import { applyCodemods, type Codemod, codemodsBetween, rewritten } from './codemods.ts'
import { textOf, type Tree } from './tree.ts'
import { treeWith } from '../test-support/test-trees.ts'

const codemod: Codemod = {
  version: '0.2.0',
  modules: {
    '#framework': 'pergola',
    '#framework/tasks': 'pergola/tasks',
    '#app/test/probe.ts': 'pergola/testing',
  },
  names: {
    '#framework': { task: 'pergola/tasks', TaskRun: 'pergola/tasks', listRoutes: 'pergola/manifest' },
  },
}

const rewrite = (text: string, path = 'app/books/book.ts') => rewritten(path, text, [codemod])
const own = async (ours: Tree) => (await applyCodemods({ base: treeWith({}), ours }, [codemod], '/tmp')).ours
const at = (tree: Tree, path: string) => textOf(tree.get(path) ?? { bytes: Buffer.of(), executable: false })

describe('rewritten', () => {
  it.each([
    ["import { field } from '#framework'", "import { field } from 'pergola'"],
    ["declare module '#framework' {", "declare module 'pergola' {"],
    ["const { task } = await import('#framework/tasks')", "const { task } = await import('pergola/tasks')"],
    ['vi.mock("#framework/tasks")', 'vi.mock("pergola/tasks")'],
    ["import { probe } from '../test/probe.ts'", "import { probe } from 'pergola/testing'"],
    ["import { probe } from '#app/test/probe.ts'", "import { probe } from 'pergola/testing'"],
    ["import '#framework'", "import 'pergola'"],
    ["await import(\n  '#framework'\n)", "await import(\n  'pergola'\n)"],
    ["import.meta.resolve('#framework')", "import.meta.resolve('pergola')"],
    ["require.resolve('#framework')", "require.resolve('pergola')"],
    [
      "vi.importActual<typeof import('#framework')>('#framework')",
      "vi.importActual<typeof import('pergola')>('pergola')",
    ],
  ])('renames the module in %s', (before, after) => expect(rewrite(before)).toBe(after))

  it.each([
    "import { x } from '#frameworks'",
    "import { x } from '#framework/other'",
    "import { x } from './probe.ts'",
    "const sentence = 'the #framework is here'",
    '<a href="#framework-is">',
    "document.querySelector('#framework')",
    'const link = `<a href="#framework">`',
    "new URL('#framework', place)",
    "resolve('../test/probe.ts')",
  ])('leaves %s alone', (text) => expect(rewrite(text)).toBe(text))

  it('names the route tables in the list of resources, and in no other file', () => {
    const list = (posts: string) => `[\n  { repository: posts, routes: ${posts}, nav: 'Posts' },\n]\n`
    const change = (text: string, path = 'app/resources.ts') =>
      rewritten(path, text, [{ ...codemod, namesRoutes: true }])
    expect(change(list('postRoutes'))).toBe(list('{ postRoutes }'))
    expect(change(list('[postRoutes, feedRoutes]'))).toBe(list('{ postRoutes, feedRoutes }'))
    expect(change(list('{ postRoutes }'))).toBe(list('{ postRoutes }'))
    expect(change(list('postRoutes'), 'app/app.ts')).toBe(list('postRoutes'))
  })

  it('renames modules in the code blocks of Markdown only', () => {
    const code = (name: string) => `\`\`\`ts\nimport { field } from '${name}'\n\`\`\`\n`
    const markdown = (name: string) =>
      `<a href="#framework">\n\n${code(name)}\nIt was called from '#framework' before.\n\n${code(name)}`
    expect(rewrite(markdown('#framework'), 'docs/a.md')).toBe(markdown('pergola'))
  })
})

describe('rewritten, for names that moved', () => {
  it('imports each name from its new module', () => {
    expect(rewrite("import { field, task as job, type TaskRun, listRoutes } from '#framework'\n")).toBe(
      "import { field } from 'pergola'\n" +
        "import { task as job, type TaskRun } from 'pergola/tasks'\n" +
        "import { listRoutes } from 'pergola/manifest'\n",
    )
    expect(rewrite("import type {\n  TaskRun,\n} from '#framework'")).toBe(
      "import type { TaskRun } from 'pergola/tasks'",
    )
  })

  it('does not change equal names of other modules', () => {
    const text = "import { task } from './task.ts'\nimport { tasks } from 'pergola'\n"
    expect(rewrite(text)).toBe(text)
  })
})

describe('applyCodemods', () => {
  it('formats only code that was formatted', async () => {
    const formatted = "import { one } from '#framework'\n"
    const ours = treeWith({
      'app/a.ts': formatted.replaceAll("'", '"').replace('\n', ';\n'),
      'app/b.ts': '  await import("#framework")',
    })
    const after = await own(ours)
    expect(at(after, 'app/a.ts')).toBe('import { one } from "pergola";\n')
    expect(at(after, 'app/b.ts')).toBe('  await import("pergola")')
  })

  it('updates the digests of scaffolded files, so that they don’t count as edited', async () => {
    const text = "import { field } from '#framework'\n"
    const after = await own(
      treeWith({
        'app/books/book.ts': text,
        'app/books/scaffold.json': JSON.stringify({ files: { 'app/books/book.ts': digestOf(text) } }),
      }),
    )
    expect(at(after, 'app/books/scaffold.json')).toContain(digestOf(at(after, 'app/books/book.ts') ?? ''))
  })

  it('does not change views, data and binary files', async () => {
    const ours = treeWith({ 'views/a.eta': "'#framework'", 'app/a.json': "'#framework'" })
    expect(await own(ours)).toEqual(ours)
  })
})

describe('codemodsBetween', () => {
  it('returns the codemods that only the new version has', () => {
    const tree = (codemods: Codemod[]) => treeWith({ 'cli/upgrade/codemods.json': JSON.stringify(codemods) })
    const newer = { version: '0.3.0', modules: {} }
    expect(codemodsBetween(treeWith({}), tree([codemod]))).toEqual([codemod])
    expect(codemodsBetween(tree([codemod]), tree([codemod, newer]))).toEqual([newer])
  })
})
