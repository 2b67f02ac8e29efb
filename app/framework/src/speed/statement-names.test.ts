import { describe, expect, it } from 'vitest'
import { StatementNames } from './statement-names.ts'

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

  it('gives a statement with many uses the name of the least used one', () => {
    const names = new StatementNames()
    const rare = Array.from({ length: 250 }, (_, n) => `select ${n}`)
    for (const text of rare) useTwice(names, text)
    const given = new Set(rare.map((text) => names.nameOf(text)))
    expect(given.size).toBe(250)
    for (const text of rare.toSpliced(7, 1)) names.nameOf(text)

    const text = 'select 0 as frequent'
    for (let use = 0; use < 999; use++) expect(names.nameOf(text)).toBeUndefined()
    expect(names.nameOf(text)).toBe('pergola_7')
    expect(names.nameOf('select 7')).toBeUndefined()
    expect(names.nameOf('select 8')).toBe('pergola_8')
  })

  it('leaves its name to a statement with as many uses, until it is used less', () => {
    const names = new StatementNames()
    const texts = Array.from({ length: 250 }, (_, n) => `select ${n}`)
    for (const text of texts) for (let use = 0; use < 1_000; use++) names.nameOf(text)
    const useOften = () => {
      for (let use = 0; use < 999; use++) names.nameOf('select 0 as frequent')
      return names.nameOf('select 0 as frequent')
    }
    expect(useOften()).toBeUndefined()
    expect(useOften()).toBe('pergola_0')
  })

  it('counts a statement among texts that are used once, however many there are', () => {
    const names = new StatementNames()
    const text = 'select 0 as frequent'
    names.nameOf(text)
    for (let n = 0; n < 400; n++) {
      if (n === 200) names.nameOf(text)
      // Three million characters.
      names.nameOf(`${n} `.padEnd(8_000, 'x'))
    }
    expect(names.nameOf(text)).toBe('pergola_0')
  })

  it('forgets texts when the counted ones of them take too much memory', () => {
    const names = new StatementNames()
    useTwice(names, 'select 1')
    const long = (n: number) => `${n} `.padEnd(8_000, 'x')
    for (let n = 0; n < 130; n++) useTwice(names, long(n))
    expect(names.nameOf('select 1')).toBe('pergola_0')
    useTwice(names, long(124))
    expect(names.nameOf(long(124))).toBe('pergola_1')
  })

  it('keeps the uses of many short statements', () => {
    const names = new StatementNames()
    useTwice(names, 'select 1')
    for (let n = 0; n < 1_000; n++) names.nameOf(`${n} `.padEnd(900, 'x'))
    expect(names.nameOf('select 1')).toBe('pergola_0')
  })
})
