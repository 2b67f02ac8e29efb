import { expect, it } from 'vitest'
import { treeWith } from '../test-support/test-trees.ts'
import type { Outcome } from './merge.ts'
import { closingWords, outcomesInWords } from './report.ts'

it('lists removed files by name and counts added files', () => {
  const gone: Outcome[] = ['a.ts', 'old.ts'].map((path) => ({ path, verb: 'remove', after: null }))
  const blob = { bytes: Buffer.of(), executable: false }
  const outcomes: Outcome[] = [
    ...gone,
    { path: 'new.ts', verb: 'move', after: blob, movedFrom: 'old.ts' },
    { path: 'b.ts', verb: 'add', after: blob },
  ]
  expect(outcomesInWords(outcomes)).toEqual(['1 file added', '1 file moved', '1 file removed:', '  a.ts'])
})

it('lists a step once if the changelog and the upgrade contain it', () => {
  const entries = ['run `npx cli db migrate`, then seed.', 'water the plants.']
  const changelog = `## 2\n${entries.map((entry) => `- To do: ${entry}`).join('\n')}\n`
  const theirs = treeWith({ 'CHANGELOG.md': changelog, 'app/framework/CHANGELOG.md': changelog })
  const next = ['Run `npm install`.', 'Run `npx cli db migrate`, unless you accept the next question.']
  const steps = (base = theirs) => closingWords({ base, theirs, outcomes: [] }, next)
  const title = 'Next steps:\n'
  expect(steps()).toBe(`${title}- ${next.join('\n- ')}\n\n`)
  expect(steps(treeWith({}))).toBe(`${title}- ${[...entries, 'Run `npm install`.'].join('\n- ')}\n\n`)
})
