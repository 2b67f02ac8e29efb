import { describe, expect, it } from 'vitest'
import { StatementNames } from '../src/database/statement-names.ts'

const useTwice = (names: StatementNames, text: string) => {
  names.nameOf(text)
  names.nameOf(text)
}

describe('StatementNames', () => {
  it('names a statement with its third use', () => {
    const names = new StatementNames()
    useTwice(names, 'select 1')
    expect(names.nameOf('select 1')).toBe('pergola_0')
  })

  it('keeps half of the names for statements with many uses', () => {
    const names = new StatementNames()
    for (let n = 0; n < 1_000; n++) for (let use = 0; use < 3; use++) names.nameOf(`select ${n}`)
    const text = 'select 0 as frequent'
    for (let use = 0; use < 999; use++) expect(names.nameOf(text)).toBeUndefined()
    expect(names.nameOf(text)).toBe('pergola_125')
  })

  it('forgets the uses of unnamed statements when their texts take too much memory', () => {
    const names = new StatementNames()
    useTwice(names, 'select 1')
    // One million characters in 125 texts.
    for (let n = 0; n < 125; n++) names.nameOf(`${n} `.padEnd(8_000, 'x'))
    expect(names.nameOf('select 1')).toBeUndefined()
    useTwice(names, 'select 1')
    expect(names.nameOf('select 1')).toBe('pergola_0')
  })

  it('keeps the uses of many short statements', () => {
    const names = new StatementNames()
    useTwice(names, 'select 1')
    for (let n = 0; n < 1_000; n++) names.nameOf(`${n} `.padEnd(900, 'x'))
    expect(names.nameOf('select 1')).toBe('pergola_0')
  })
})
