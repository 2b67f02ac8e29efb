import { describe, expect, it } from 'vitest'
import { applyEdit, revertEdit } from './apply-edit.ts'

const text = 'one\ntwo\n\nthree\ntwo\n'

describe('applyEdit', () => {
  it('adds, removes and replaces lines', () => {
    expect(applyEdit(text, ' one\n+one and a half\n two\n')).toBe('one\none and a half\ntwo\n\nthree\ntwo\n')
    expect(applyEdit(text, '-three\n')).toBe('one\ntwo\n\ntwo\n')
    expect(applyEdit(text, '-three\n+four\n+five\n')).toBe('one\ntwo\n\nfour\nfive\ntwo\n')
  })

  it('edits several places, in any order', () => {
    expect(applyEdit(text, '-three\n+four\n@@\n-one\n+zero\n')).toBe('zero\ntwo\n\nfour\ntwo\n')
  })

  it('accepts an empty line without its space', () => {
    expect(applyEdit(text, ' two\n\n-three\n')).toBe('one\ntwo\n\ntwo\n')
  })

  it.each([
    ['absent', ' four\n+five\n', 'occur not in the file'],
    ['ambiguous', ' two\n+five\n', 'occur 2 times in the file'],
    ['without context', '+five\n', 'needs a line that the file contains'],
    ['without a sign', 'two\n', 'needs +, - or a space'],
  ])('throws for a place that is %s', (_kind, diff, message) => {
    expect(() => applyEdit(text, diff)).toThrow(message)
  })
})

describe('revertEdit', () => {
  it.each([
    ['added lines', ' one\n+one and a half\n'],
    ['replaced lines', '-three\n+four\n+five\n'],
    ['several places', ' one\n+zero\n@@\n-three\n+four\n'],
    ['several lines of a place', '+zero\n one\n+one and a half\n+\n'],
  ])('restores a text: %s', (_, diff) => {
    expect(revertEdit(applyEdit(text, diff), diff)).toBe(text)
  })

  it('finds added lines without the lines around them', () => {
    const [first, second] = [' one\n+first\n', ' one\n+second\n']
    const both = applyEdit(applyEdit(text, first), second)
    expect(both).toBe('one\nsecond\nfirst\ntwo\n\nthree\ntwo\n')
    expect(revertEdit(both, first)).toBe(applyEdit(text, second))
    expect(revertEdit(both, second)).toBe(applyEdit(text, first))
  })

  it('throws if the added lines were changed, or occur twice', () => {
    expect(() => revertEdit(text, ' one\n+zero\n')).toThrow('occur not in the file')
    expect(() => revertEdit(text, ' one\n+two\n')).toThrow('occur 2 times')
  })
})
