import { describe, expect, it } from 'vitest'
import { displayName } from './display-name.ts'

const INVISIBLE = 'Use visible characters only.'
const messages = (name: string) =>
  displayName.safeParse(name).error?.issues.map(({ message }) => message) ?? []

describe('displayName', () => {
  it.each([
    ['a Hangul filler', '\u3164'],
    ['a Hangul filler of half width', 'Ann\uffa0'],
    ['an empty Braille pattern', 'Ann\u2800'],
    ['a line separator', 'Ann\u2028Lee'],
    ['a paragraph separator', 'Ann\u2029Lee'],
    ['a direction mark', 'Ann\u202eeeL'],
    ['a space without width', 'Ann\u200bLee'],
    ['a combining grapheme joiner', 'Ann\u034f'],
    ['a tag', 'Ann\u{e0041}'],
    ['a line break', 'Ann\nLee'],
    ['half a surrogate pair', 'Ann\ud83d'],
    ['a joiner in a Latin name', 'An\u200dn'],
    ['a joiner at the end', 'محمد\u200c'],
    ['a joiner in a Korean name', '김\u200c민준'],
    ['a joiner after a mark', 'A\u0301\u200dn'],
  ])('rejects %s', (_, name) => {
    expect(messages(name)).toContain(INVISIBLE)
  })

  it.each([
    ['combining marks alone', '\u0301\u0302'],
    ['selectors of glyphs alone', '\ufe0f'],
    ['punctuation alone', '...'],
    ['spaces alone', '\u00a0 '],
  ])('rejects %s', (_, name) => {
    expect(messages(name)).toContain('Use at least one letter or digit.')
  })

  it.each([
    'http://example.org',
    'www.example',
    'example.com now',
    'evil.com?x',
    'Visit evil.com!',
    'bit.ly/x',
    'evil.com:80',
  ])('rejects the address %s', (name) => {
    expect(messages(name)).toEqual(['Use a name, not an address.'])
  })

  it('rejects a pile of marks', () => {
    expect(messages(`A${'\u0301'.repeat(78)}`)).toContain('Use fewer marks above and below a letter.')
  })

  it('rejects 81 characters', () => {
    expect(messages('a'.repeat(81))).toEqual(['Use 80 characters or fewer.'])
  })

  it.each([
    'Ann Lee',
    'O’Connor-Núñez',
    'Zoe\u0308',
    '김민준',
    '葛\u{e0100}城',
    'Ann ❤\ufe0f',
    '7',
    'محمد',
    'علی\u200cرضا',
    'ක්\u200dෂ',
    '👩\u200d💻 Ann',
    'J. R. R. Tolkien',
    'J.Smith',
    'St.John',
    'J.R.R.Tolkien',
    'Ann v.d.Berg',
    'Nguyễn',
    'Martin Luther King Jr.',
  ])('accepts %s', (name) => {
    expect(messages(name)).toEqual([])
  })
})
