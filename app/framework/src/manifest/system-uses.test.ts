import { describe, expect, it } from 'vitest'
import { systemUses } from './system-uses.ts'

const usesIn = (text: string) => systemUses([{ file: 'app/x.ts', text }])

describe('systemUses', () => {
  it.each([
    [`await posts.asSystem('seed').insert({})`, 'posts', 'seed'],
    [`const all = posts\n  .asSystem(\n    "every night",\n  )`, 'posts', 'every night'],
    ['repositories[0]?.asSystem(`it’s due`)', 'repositories[0]', 'it’s due'],
    [`repositoryOf(Post).asSystem('why')`, 'repositoryOf(Post)', 'why'],
    ['/* here */ this.posts.asSystem(why)', 'this.posts', null],
    ['posts.asSystem(`because of ${name}`)', 'posts', null],
    [`posts.asSystem('a' + b)`, 'posts', null],
  ])('finds %j', (text, repository, why) => {
    expect(usesIn(text)).toEqual([{ file: 'app/x.ts', repository, why }])
  })

  it('lists what is no call too, since it may become one', () => {
    for (const text of [`const { asSystem } = posts`, `posts['asSystem']('why')`]) {
      expect(usesIn(text)).toMatchObject([{ why: null }])
    }
  })

  it('finds nothing in comments', () => {
    expect(
      usesIn(`// posts.asSystem('why')\n/**\n * posts.asSystem('why')\n */\nconst asSystematic = 1`),
    ).toEqual([])
  })
})
