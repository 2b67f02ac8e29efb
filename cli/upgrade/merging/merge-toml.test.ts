import { describe, expect, it } from 'vitest'
import { mergeToml } from './merge-toml.ts'

const BASE = `# Settings.

[server]
port = 3000   # the port
# base_url = "https://example.org"   # the public address
origins = [
  "a", # one
]

# Limits.
[limits]
writes = 120

# The end.
`

const merged = (ours: (text: string) => string, theirs: (text: string) => string) =>
  mergeToml({ base: BASE, ours: ours(BASE), theirs: theirs(BASE) })

const same = (text: string) => text
const replaced = (from: string, to: string) => (text: string) => text.replace(from, to)

describe('mergeToml', () => {
  it('returns unchanged texts as they are', () => {
    expect(merged(same, same)).toEqual({ text: BASE, conflicts: [] })
  })

  it('merges settings that both sides added at the same place, each in its table', () => {
    const ours = replaced(']\n\n#', ']\nmine = "a # b"   # own\n\n#')
    const theirs = replaced('# Limits.', 'fresh = true\n\n# New.\n[more]\nfresh = 1\n\n# Limits.')
    expect(merged(ours, theirs)).toEqual({
      text: BASE.replace(
        ']\n\n# Limits.',
        ']\n\nfresh = true\nmine = "a # b"   # own\n\n# New.\n[more]\nfresh = 1\n\n# Limits.',
      ),
      conflicts: [],
    })
  })

  it('merges a new value with a new note on the same line', () => {
    const result = merged(replaced('= 3000', '= 8080'), replaced('# the port', '# the port, or 0'))
    expect(result).toEqual({
      text: BASE.replace('3000   # the port', '8080   # the port, or 0'),
      conflicts: [],
    })
  })

  it('keeps a setting that the application switched on, whose example changes', () => {
    const result = merged(
      replaced('# base_url = "https://example.org"', 'base_url = "https://mine.org"'),
      replaced('example.org', 'example.com'),
    )
    expect(result).toEqual({
      text: BASE.replace('# base_url = "https://example.org"', 'base_url = "https://mine.org"'),
      conflicts: [],
    })
  })

  it('keeps the value of a setting that both changed, and returns its name', () => {
    const result = merged(replaced('120', '60'), replaced('120', '240'))
    expect(result).toEqual({ text: BASE.replace('120', '60'), conflicts: ['limits.writes'] })
    expect(merged(replaced('120', '60'), replaced('writes = 120\n', ''))?.conflicts).toEqual([
      'limits.writes',
    ])
  })

  it('leaves arrays of tables to a merge by line', () => {
    expect(merged((text) => `${text}[[shards]]\nname = "a"\n`, same)).toBeNull()
  })
})
