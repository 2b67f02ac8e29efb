import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { withoutSections } from '../scaffold/companions.ts'
import { root } from '../test/tools.ts'
import { commandProblems } from '../test-support/command-problems.ts'
import { commandLinesOf, documents, linksOf, pathsOf } from './documents.ts'
import { headingsOf, slugsOf } from './markdown.ts'
import { commandsIn } from './shell-words.ts'

const pages = documents()
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const hasSample = existsSync(join(root, 'app/posts'))

/** Files that the commands and steps of a page create. */
const EXAMPLES = [
  /^(?:app|views|e2e)\/(?:accounts|books|comments|customers|documents|exports|feedback|posts|projects|recipes|tags|teams|tickets)(?:\/|\.spec|$)/,
  /^(?:app|views)\/(?:jobs|mails)\/welcome/,
  /^app\/tasks\/close-old-tickets/,
  'app/db/migrations/20260201000000_create_documents.ts',
  'app/test/tenants.test.ts',
  'e2e/screenshots',
]
const isExample = (path: string, page: string) =>
  EXAMPLES.some((example) => (typeof example === 'string' ? example === path : example.test(path))) ||
  // `npm run pergola -- test:docs` executes these pages, whose steps create the files.
  (/^docs\/(?:recipes\/|tutorial)/.test(page) && /^(?:app|views|e2e)\//.test(path))

const anchorsOf = (path: string): string[] => slugsOf(headingsOf(pages.get(path) ?? ''))

describe.each([...pages])('%s', (page, markdown) => {
  it('links to existing files and headings', () => {
    const broken = linksOf(page, markdown).filter(
      ({ path, anchor }) =>
        !existsSync(join(root, path)) ||
        (path.endsWith('.md') && anchor !== '' && !anchorsOf(path).includes(anchor)),
    )
    expect(broken).toEqual([])
  })

  it('names existing files', () => {
    const unknown = pathsOf(markdown).filter(
      (path) => globSync(path, { cwd: root }).length === 0 && !isExample(path, page),
    )
    expect(unknown).toEqual([])
  })

  it('contains existing commands and options', () => {
    // `completion` prints a line before its action.
    vi.spyOn(console, 'log').mockReturnValue(undefined)
    const problems = commandLinesOf(markdown).flatMap((line) =>
      commandProblems(line, Object.keys(scripts)).map((problem) => `${line}: ${problem}`),
    )
    expect(problems).toEqual([])
  })

  it.runIf(hasSample)('links to the sample only in sections about it', () => {
    const others = linksOf(page, withoutSections(markdown, { folder: 'posts' }))
    expect(others.filter(({ path }) => /^(?:app|views|e2e)\/posts(?:\/|$)/.test(path))).toEqual([])
  })
})

/** The pages that the index of the documents lists. Recipes have a form of their own. */
const guides = [
  ...new Set(linksOf('docs/README.md', pages.get('docs/README.md') ?? '').map(({ path }) => path)),
]
  .filter((page) => /^docs\/(?!reference|recipes|tutorial)/.test(page))
  .map((page) => [page, pages.get(page) ?? ''] as const)

describe.each(guides)('the guide %s', (_page, markdown) => {
  it('begins with the result for the reader', () => {
    expect(markdown).toMatch(/^# .+\n\nYou will /)
  })

  it('ends with a link to the next page', () => {
    expect(markdown.trim().split('\n').at(-1)).toMatch(/^Next: \[.+\]\(.+\)/)
  })

  it('has at most 1,300 words', () => {
    expect(markdown.split(/\s+/).length).toBeLessThanOrEqual(1_300)
  })
})

describe.each([
  ['docs/recipes/README.md', /^docs\/recipes\/(?!README)/],
  ['docs/reference/README.md', /^docs\/reference\/(?!README)/],
])('the index %s', (index, listed) => {
  it('links to every page', () => {
    const linked = new Set(linksOf(index, pages.get(index) ?? '').map(({ path }) => path))
    expect([...pages.keys()].filter((page) => listed.test(page) && !linked.has(page))).toEqual([])
  })
})

describe('linksOf', () => {
  it('returns the path and the anchor of a link, and none in code', () => {
    const markdown =
      '[a](b.md#c) [d](#e) ![f](../g.png) [h](https://example.org) `[i](j.md)`\n```\n[k](l.md)\n```\n'
    expect(linksOf('docs/x.md', markdown)).toEqual([
      { path: 'docs/b.md', anchor: 'c' },
      { path: 'docs/x.md', anchor: 'e' },
      { path: 'g.png', anchor: '' },
    ])
  })
})

describe('slugsOf', () => {
  it('returns the anchors of GitHub', () => {
    expect(slugsOf(['Who may do what?', '`[mail]`', '403 or 404', 'Page', 'page', 'GET /posts'])).toEqual([
      'who-may-do-what',
      'mail',
      '403-or-404',
      'page',
      'page-1',
      'get-posts',
    ])
  })
})

describe('commandsIn', () => {
  it.each([
    [
      "npx cli db status --json | jq -r '.[] | .name'",
      [
        ['npx', 'cli', 'db', 'status', '--json'],
        ['jq', '-r', '.[] | .name'],
      ],
    ],
    ['PORT=4000 npm run dev   # on another port', [['npm', 'run', 'dev']]],
    [
      "npx cli scaffold a 'b:string{1..2}' && npm test",
      [
        ['npx', 'cli', 'scaffold', 'a', 'b:string{1..2}'],
        ['npm', 'test'],
      ],
    ],
    ['npx cli task <name> >> file', [['npx', 'cli', 'task', '<name>']]],
  ])('splits %s', (line, commands) => {
    expect(commandsIn(line)).toEqual(commands)
  })
})

describe('commandProblems', () => {
  it.each([
    ['npx cli db rollback 2', []],
    ['npx cli scaffold', []],
    ['npx cli db', []],
    ['npx cli routes audit --check', []],
    ['npm run types', []],
    ['node cli/install.js', []],
    ['npx cli db migrat', [expect.stringContaining('unknown command')]],
    ['npx cli db status --jsn', [expect.stringContaining('unknown option')]],
    ['npx cli db rollback two', [expect.stringContaining('whole number')]],
    ['npm run nothing', ['package.json has no script nothing.']],
    ['true && node cli/nothing.ts', ["cli/nothing.ts doesn't exist."]],
  ])('checks %s', (line, problems) => {
    expect(commandProblems(line, Object.keys(scripts))).toEqual(problems)
  })
})
