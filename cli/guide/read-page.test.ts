import { describe, expect, it } from 'vitest'
import { readPage } from './read-page.ts'

const fence = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\`\n`
const kindsOf = (...parts: string[]) => readPage('page.md', parts.join('\n')).map(({ kind }) => kind)

describe('readPage', () => {
  it('returns the steps with their sections and lines', () => {
    const page = [
      '# Title',
      '## First',
      fence('sh', 'npx cli doctor'),
      '`app/a.ts`:',
      fence('ts app/a.ts', 'a'),
    ]
    expect(readPage('page.md', page.join('\n'))).toEqual([
      {
        kind: 'run',
        at: { page: 'page.md', line: 3, section: 'First' },
        commands: 'npx cli doctor\n',
        output: null,
      },
      {
        kind: 'write',
        at: { page: 'page.md', line: 8, section: 'First' },
        path: 'app/a.ts',
        text: 'a\n',
      },
    ])
  })

  it('distinguishes commands, files and edits', () => {
    expect(
      kindsOf(fence('sh', 'ls'), '`b.sql`', fence('sql b.sql', 'b'), '`c.ts`', fence('diff c.ts', '-c')),
    ).toEqual(['run', 'write', 'edit'])
  })

  it('takes a text block as the output of the commands before it', () => {
    expect(readPage('page.md', fence('sh', 'ls') + fence('text', 'a.ts'))).toMatchObject([
      { output: 'a.ts\n' },
    ])
  })

  it('expects an error of commands that fail', () => {
    expect(readPage('page.md', fence('sh fails', 'false'))).toMatchObject([{ commands: '! {\nfalse\n\n}' }])
  })

  it('skips commands that the test can’t run', () => {
    expect(kindsOf(fence('sh not-run', 'docker build .'))).toEqual([])
  })

  it.each([
    ['a block without a file', fence('ts', 'a'), 'page.md:1: Name the file of this block'],
    ['a file that the text doesn’t name', fence('ts app/a.ts', 'a'), 'must name its file, app/a.ts'],
    ['output without commands', fence('text', 'a'), 'is the output of the commands'],
  ])('throws for %s', (_what, page, message) => {
    expect(() => readPage('page.md', page)).toThrow(message)
  })
})
