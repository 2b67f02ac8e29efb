import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { isStarter } from '../test-support/starter.ts'
import { root } from '../test/tools.ts'
import { codeBlocksOf, typeErrorsOf } from '../test-support/code-blocks.ts'
import { documents } from './documents.ts'

// `npm run pergola -- test:docs` executes the recipes and the tutorial.
const pages = [...documents()].filter(([page]) => !/^docs\/(?:recipes\/|tutorial|reference\/)/.test(page))
const blocksOf = (...languages: string[]) =>
  pages
    .flatMap(([page, markdown]) => codeBlocksOf(page, markdown))
    .filter(({ language }) => languages.includes(language))

/** A page with an error, which shows that the compiler reads the blocks. */
const WRONG = `# Rules

\`\`\`ts
const limit = 3
\`\`\`

\`\`\`ts policy(User, { … })
canShow: (ctx) => ctx.userId !== null,
canPurge: (ctx) => ctx.hasRol(limit),
\`\`\``

// The compiler runs once, because it also reads the application. Resources of an application may have the names of examples.
it.runIf(isStarter)(
  'the TypeScript in the documents compiles, and an error has the page and the line',
  () => {
    expect(typeErrorsOf([...blocksOf('ts'), ...codeBlocksOf('docs/rules.md', WRONG)])).toEqual([
      expect.stringMatching(/^docs\/rules\.md:9: error TS\d+: Property 'hasRol' does not exist/),
    ])
  },
)

describe('the views in the documents', () => {
  it.each(blocksOf('html', 'ejs', 'eta'))('compile: $page:$line', ({ code }) => {
    expect(() => new Eta().compile(code)).not.toThrow()
    for (const [, partial = ''] of code.matchAll(/include\('(\/[^']+)'/g))
      expect(
        ['views', 'app/framework/views'].some((folder) => existsSync(join(root, folder, `${partial}.eta`))),
      ).toBe(true)
  })
})

describe('the settings in the documents', () => {
  it.each(blocksOf('toml'))('are TOML: $page:$line', ({ code }) => {
    expect(() => parse(code)).not.toThrow()
  })

  it.each(blocksOf('json'))('are JSON: $page:$line', ({ code }) => {
    expect(() => JSON.parse(code) as unknown).not.toThrow()
  })
})
