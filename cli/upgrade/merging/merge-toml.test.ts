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

  it('merges a text without a final line break, or with CRLF', () => {
    const ours = (text: string) => `${text.trimEnd()}\nown = 1`
    expect(merged(ours, replaced('120', '240'))?.text).toBe(
      `${BASE.replace('120', '240').trimEnd()}\nown = 1\n`,
    )
    const result = merged((text) => text.replaceAll('\n', '\r\n'), replaced('120', '240'))
    expect(result).toEqual({ text: BASE.replace('120', '240'), conflicts: [] })
  })

  it('merges keys with dots and quotation marks', () => {
    const [ours, theirs] = ['a.b = 1', '"c d" = 2'].map((line) =>
      replaced('[limits]\n', `[limits]\n${line}\n`),
    )
    expect(merged(ours ?? same, theirs ?? same)?.text).toContain(
      '[limits]\n"c d" = 2\na.b = 1\nwrites = 120\n',
    )
  })

  it('names the end of the text', () => {
    expect(merged(replaced('The end', 'Ours'), replaced('The end', 'Theirs'))?.conflicts).toEqual([
      'its last lines',
    ])
  })

  it.each(['10 = 2', '__proto__ = 1'])('leaves %s to a merge by line', (line) => {
    expect(merged(replaced('writes = 120', `writes = 120\n${line}`), same)).toBeNull()
  })

  it('leaves a text with a byte order mark to a merge by line', () => {
    expect(merged((text) => `\uFEFF${text}`, same)).toBeNull()
  })
})
