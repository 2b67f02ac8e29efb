import { describe, expect, it } from 'vitest'
import { type Conflict, mergedAnyway } from './conflicts.ts'

const lines = (...texts: string[]): string => texts.map((text) => `${text}\n`).join('')
const conflict = (base: string[], ours: string[], theirs: string[]): Conflict => ({
  base: lines(...base),
  ours: lines(...ours),
  theirs: lines(...theirs),
})
const imported = (name: string) => `import { ${name} } from './${name}.ts'`

describe('mergedAnyway', () => {
  it('keeps a line that was added next to a removed line', () => {
    expect(mergedAnyway(conflict(['  feed,'], ['  report,', '  feed,'], []))).toBe('  report,\n')
    expect(mergedAnyway(conflict(['  feed,'], [], ['  feed,', '  report,']))).toBe('  report,\n')
  })

  it('merges import lines as a set', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(imported) as [string, string, string, string]
    expect(mergedAnyway(conflict([a], [a, d], [a, c]))).toBe(lines(a, c, d))
    expect(mergedAnyway(conflict([a, b], [a, b, d], [c]))).toBe(lines(c, d))
  })

  it('merges a list by element regardless of its line breaks', () => {
    const wrapped = ['  const tables = [', '    home,', '    feed,', '    ...all(of, them),', '  ]']
    const ours = wrapped.toSpliced(2, 0, '    mine,')
    expect(mergedAnyway(conflict(wrapped, ours, ['  const tables = [home, ...all(of, them)]']))).toBe(
      lines('  const tables = [', 'home,', 'mine,', '...all(of, them),', ']'),
    )
    expect(
      mergedAnyway(
        conflict(
          ["import { a, b, type C } from 'x'"],
          ["import { a, b, type C, own } from 'x'"],
          ['import {', '  a,', '  type C,', "} from 'x'"],
        ),
      ),
    ).toBe(lines('import {', 'a,', 'type C,', 'own,', "} from 'x'"))
  })

  it.each<[string, Conflict]>([
    ['other lines', conflict(['return a'], ['return b'], ['return c'])],
    ['a line within removed ones', conflict(['if (a) {', '}'], ['if (a) {', '  b()', '}'], [])],
    ['arguments', conflict(['call(a, b)'], ['call(a, b, c)'], ['call(b)'])],
    ['another beginning', conflict(['const x = [a]'], ['const x = [a, b]'], ['const y = [a]'])],
    ['a list with comments', conflict(['return [a]'], ['return [', 'a, // b', ']'], ['return [c]'])],
    ['two additions', conflict([], ['one()'], ['two()'])],
  ])('leaves %s to the owner', (_, conflict) => expect(mergedAnyway(conflict)).toBeNull())
})
