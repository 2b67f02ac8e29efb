import { describe, expect, it } from 'vitest'
import { systemUses } from './system-uses.ts'

const usesIn = (text: string) => systemUses([{ file: 'app/x.ts', text }])

describe('systemUses', () => {
  it.each([
    [`await notes.asSystem('seed').insert({})`, 'notes', 'seed'],
    [`const all = notes\n  .asSystem(\n    "every night",\n  )`, 'notes', 'every night'],
    ['repositories[0]?.asSystem(`it’s due`)', 'repositories[0]', 'it’s due'],
    [`repositoryOf(Note).asSystem('why')`, 'repositoryOf(Note)', 'why'],
    ['/* here */ this.notes.asSystem(why)', 'this.notes', null],
    ['notes.asSystem(`because of ${name}`)', 'notes', null],
    [`notes.asSystem('a' + b)`, 'notes', null],
  ])('finds %j', (text, repository, why) => {
    expect(usesIn(text)).toEqual([{ file: 'app/x.ts', repository, why }])
  })

  it('lists mentions that are not calls', () => {
    for (const text of [`const { asSystem } = notes`, `notes['asSystem']('why')`]) {
      expect(usesIn(text)).toMatchObject([{ why: null }])
    }
  })

  it('finds nothing in comments', () => {
    expect(
      usesIn(`// notes.asSystem('why')\n/**\n * notes.asSystem('why')\n */\nconst asSystematic = 1`),
    ).toEqual([])
  })
})
