import { expect, it } from 'vitest'
import { emptyResult } from '../test-support/upgrade-result.ts'
import type { Outcome } from './plan.ts'
import { asJson, outcomesInWords, overridesToCompare, type Result, resultInWords } from './report.ts'

it('lists removed files by name and counts added files', () => {
  const outcomes: Outcome[] = [
    { path: 'a.ts', verb: 'remove' },
    { path: 'b.ts', verb: 'add' },
    { path: 'new.ts', verb: 'move', movedFrom: 'old.ts' },
  ]
  expect(outcomesInWords(outcomes)).toEqual(['1 file added', '1 file moved', '1 file removed:', '  a.ts'])
})

const result = (given: Partial<Result>): Result => ({ ...emptyResult, ...given })

it('lists a step once if the changelog and the upgrade contain it', () => {
  const steps = ['run `npx cli db migrate`, then seed.', 'water the plants.']
  const next = ['Run `npm install`.', 'Run `npx cli db migrate`, unless you accept the next question.']
  const withSteps = (steps: string[]) => result({ next, news: { entries: [], steps } })
  expect(resultInWords(withSteps([]))).toContain(`Next steps:\n- ${next.join('\n- ')}\n\n`)
  const all = [...steps, 'Run `npm install`.']
  expect(resultInWords(withSteps([...steps, ...steps]))).toContain(`Next steps:\n- ${all.join('\n- ')}\n\n`)
  expect(asJson(withSteps(steps))).toMatchObject({ steps: all })
})

it('reports that an upgrade is complete only without conflicts', () => {
  const open: Outcome = { path: 'a.ts', verb: 'keep', decision: 'yours was kept.' }
  const words = (...outcomes: Outcome[]) => resultInWords(result({ outcomes })).split('\n').at(-1)
  expect(words({ path: 'a.ts', verb: 'replace' })).toMatch(/^The upgrade is complete\. .*audit --write/)
  expect(words(open)).toMatch(/^One conflict remains\. Resolve it .*audit --write/)
  expect(words(open, open)).toMatch(/^2 conflicts remain\. Resolve them /)
})

it('asks to compare an override only if the new version changes its original', () => {
  const tree = (ids: Record<string, string>) =>
    new Map(Object.entries(ids).map(([path, id]) => [path, { mode: '100644', id }]))
  const [a, b, c, shipped] = ['a', 'b', 'c', 'shipped'].map((name) => `views/partials/${name}.eta`) as [
    string,
    string,
    string,
    string,
  ]
  const original = (path: string) => `app/framework/${path}`
  const steps = overridesToCompare({
    base: tree({ [original(a)]: 'old', [original(b)]: 'same', [original(shipped)]: 'old' }),
    ours: tree({ [a]: 'mine', [b]: 'mine', [c]: 'mine', [shipped]: 'mine' }),
    theirs: tree({
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
