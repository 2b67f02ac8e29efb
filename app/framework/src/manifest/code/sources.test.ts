import { describe, expect, it } from 'vitest'
import { moduleDigests, parseSource } from './sources.ts'

// The test of the package's own imports must not find these imports in the text of this file.
const FROM = 'from'
const POLICY = `import { policy } ${FROM} 'pergola'`

const digests = (files: Record<string, string>, others: Record<string, string> = {}) => {
  const sources = (texts: Record<string, string>) =>
    Object.entries(texts).map(([file, text]) => parseSource({ file, text }))
  return moduleDigests(sources(files), sources(others))
}
const filesIn = (files: Record<string, string>) => Object.keys(digests(files)).toSorted()
const digest = (text: string) => digests({ 'app/x.ts': `${POLICY}\n${text}` })['app/x.ts']

describe('moduleDigests', () => {
  it('contains the modules that declare rules, and the modules that they import, directly or not', () => {
    const files = {
      'app/notes/note.policy.ts': `${POLICY}\nimport { isMember } ${FROM} '../teams/members.ts'`,
      'app/teams/members.ts': `export * ${FROM} '#lib/rules.js'\nimport type { Team } ${FROM} './team.ts'`,
      'lib/rules.js': 'export const load = () => import("./late.ts")',
      'lib/late.ts': `import './gone.ts'\nimport { z } ${FROM} 'zod'`,
      'app/teams/team.ts': '',
      'app/notes/note.controller.ts': `import { routes } ${FROM} 'pergola'`,
    }
    expect(filesIn(files)).toEqual([
      'app/notes/note.policy.ts',
      'app/teams/members.ts',
      'lib/late.ts',
      'lib/rules.js',
    ])
  })

  it.each([
    ['resource', `import { resource } ${FROM} 'pergola'`],
    ['another name', `import { policy as rules } ${FROM} 'pergola'`],
    ['the whole package', `import * as pergola ${FROM} 'pergola'`],
    ['a session', `import { sessionToken } ${FROM} 'pergola'`],
    ['an access table', `export { accessTable } ${FROM} 'pergola'`],
  ])('contains a module that imports %s', (_, text) => {
    expect(filesIn({ 'app/x.ts': text })).toEqual(['app/x.ts'])
  })

  it('contains the text of other files, which may be no code', () => {
    const one = digests({}, { 'app/config.toml': '[session]\nidle_minutes = 5' })
    const other = digests({}, { 'app/config.toml': '[session]\nidle_minutes = 6' })
    expect(Object.keys(one)).toEqual(['app/config.toml'])
    expect(one).not.toEqual(other)
  })

  it('is short, and ignores formatting, comments and quotes', () => {
    expect(digest('const a = [1, "b"]')).toMatch(/^[0-9a-f]{12}$/)
    expect(digest("const a = [\n  1, // one\n  'b',\n];")).toBe(digest('const a = [1, "b"]'))
  })

  it.each([
    ['isOpen(1)', 'isOpen(2)'],
    [`x = 'in print'`, `x = 'inprint'`],
    ['x = `in print`', 'x = `inprint`'],
    ['/in print/.test(x)', '/inprint/.test(x)'],
    ['/print/.test(x)', '/print/i.test(x)'],
    ['x < 9', 'x < 9n'],
    ['x < 1e999', 'x < null'],
    ['(x?.y).z', 'x?.y.z'],
    ['() => true', 'async () => true'],
    ['() => { return\n false }', '() => { return false }'],
  ])('changes with the code: %j', (one, other) => {
    expect(digest(one)).not.toBe(digest(other))
  })
})
