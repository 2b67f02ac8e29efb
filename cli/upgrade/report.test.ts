import { expect, it } from 'vitest'
import type { Outcome } from './plan.ts'
import { closingWords, lastWords, outcomesInWords, overridesToCompare } from './report.ts'

it('lists removed files by name and counts added files', () => {
  const outcomes: Outcome[] = [
    { path: 'a.ts', verb: 'remove' },
    { path: 'b.ts', verb: 'add' },
    { path: 'new.ts', verb: 'move', movedFrom: 'old.ts' },
  ]
  expect(outcomesInWords(outcomes)).toEqual(['1 file added', '1 file moved', '1 file removed:', '  a.ts'])
})

it('lists a step once if the changelog and the upgrade contain it', () => {
  const steps = ['run `npx cli db migrate`, then seed.', 'water the plants.']
  const next = ['Run `npm install`.', 'Run `npx cli db migrate`, unless you accept the next question.']
  const words = (steps: string[]) => closingWords({ news: { entries: [], steps }, outcomes: [] }, next)
  expect(words([])).toBe(`Next steps:\n- ${next.join('\n- ')}\n\n`)
  const all = [...steps, 'Run `npm install`.']
  expect(words([...steps, ...steps])).toBe(`Next steps:\n- ${all.join('\n- ')}\n\n`)
})

it('reports that an upgrade is complete only without conflicts', () => {
  const open: Outcome = { path: 'a.ts', verb: 'keep', decision: 'yours was kept.' }
  expect(lastWords([{ path: 'a.ts', verb: 'replace' }])).toMatch(/^The upgrade is complete\. .*audit --write/)
  expect(lastWords([open])).toMatch(/^One conflict remains\. Resolve it .*audit --write/)
  expect(lastWords([open, open])).toMatch(/^2 conflicts remain\. Resolve them /)
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
