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
    [`notes.asSystem(...['why'])`, 'notes', null],
    [`notes?.asSystem?.('why')`, 'notes', 'why'],
    [`(notes as Repository<Note>).asSystem('why' as const)`, 'notes', 'why'],
    [`notes!.asSystem('it\\'s due')`, 'notes', `it's due`],
    [`all.get(Note, 1)\n  ?.notes\n  .asSystem('why')`, 'all.get(Note,1)?.notes', 'why'],
    [`(isOld ? notes : leaves).asSystem('why')`, '(an unnamed expression)', 'why'],
    [`notes['asSystem']('why')`, 'notes', 'why'],
    ['notes[`asSystem`]("why")', 'notes', 'why'],
    [`const { asSystem } = notes`, 'notes', null],
    [`const { name, asSystem: system = null } = this.notes`, 'this.notes', null],
    [`const { ['asSystem']: system } = notes`, 'notes', null],
    [`;({ asSystem: system } = notes)`, 'notes', null],
    [`const seed = ({ asSystem }: typeof notes) => null`, '(an unnamed expression)', null],
    [`const system = notes.asSystem`, 'notes', null],
    [`notes.asSystem.call(notes, 'why')`, 'notes', null],
    [`asSystem('why')`, '(an unnamed expression)', 'why'],
    [`const key = 'asSystem'`, '(an unnamed expression)', null],
    [`Reflect.get(notes, 'asSystem')`, '(an unnamed expression)', null],
  ])('finds %j', (text, repository, why) => {
    expect(usesIn(text)).toMatchObject([{ file: 'app/x.ts', repository, why }])
  })

  it.each([
    `const url = 'https://example.org/'; notes.asSystem('why')`,
    `const from = '/*'\nnotes.asSystem('why')\nconst to = '*/'`,
    'const text = `\n// ${notes.asSystem("why")}`',
    `const slashes = /[/*]/; notes.asSystem('why') // */`,
    `/* a comment before */ notes.asSystem('why')`,
  ])('finds a use behind what looks like a comment: %j', (text) => {
    expect(usesIn(text)).toMatchObject([{ repository: 'notes', why: 'why' }])
  })

  it('finds nothing in comments, nor in the middle of a name or a string', () => {
    const text = `// notes.asSystem('why')
      const asSystematic = 1 // notes.asSystem('why')
      /**
       * notes.asSystem('why')
       */
      console.log('Use notes.asSystem(reason).', \`notes.asSystem('why')\`, /asSystem/)`
    expect(usesIn(text)).toEqual([])
  })

  it('returns the line of each use', () => {
    const text = `notes\n  .asSystem('one')\n\nleaves.asSystem('two').insert(notes.asSystem('three'))`
    expect(usesIn(text).map(({ line, why }) => [line, why])).toEqual([
      [2, 'one'],
      [4, 'two'],
      [4, 'three'],
    ])
  })

  it('reports a file that it can’t parse, unless the file does not mention asSystem', () => {
    expect(usesIn(`const one = 1\nnotes.asSystem('why'`)).toEqual([
      { file: 'app/x.ts', line: 2, repository: '(a file that does not parse)', why: null },
    ])
    expect(usesIn('const = 1')).toEqual([])
  })
})
