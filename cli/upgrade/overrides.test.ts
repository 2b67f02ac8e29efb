import { describe, expect, it } from 'vitest'
import { treeWith } from '../test-support/test-trees.ts'
import { overridesToCompare } from './overrides.ts'

describe('overridesToCompare', () => {
  it('lists an override only if the new version changes its original', () => {
    const [a, b, c, shipped] = ['a', 'b', 'c', 'shipped'].map((name) => `views/partials/${name}.eta`) as [
      string,
      string,
      string,
      string,
    ]
    const original = (path: string) => `app/framework/${path}`
    const steps = overridesToCompare({
      base: treeWith({ [original(a)]: 'old', [original(b)]: 'same', [original(shipped)]: 'old' }),
      ours: treeWith({ [a]: 'mine', [b]: 'mine', [c]: 'mine', [shipped]: 'mine' }),
      theirs: treeWith({
        [original(a)]: 'new',
        [original(b)]: 'same',
        [original(c)]: 'new',
        [original(shipped)]: 'new',
        [shipped]: 'new',
      }),
    })
    expect(steps).toEqual([
      `Compare ${a} with ${original(a)}, which it overrides: the new version changes the original.`,
    ])
  })
})
