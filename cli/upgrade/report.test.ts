import { expect, it } from 'vitest'
import type { Outcome } from './merge.ts'
import { outcomesInWords } from './report.ts'

it('names the files that go, but counts those that come', () => {
  const gone: Outcome[] = ['a.ts', 'old.ts'].map((path) => ({ path, verb: 'remove', after: null }))
  const blob = { bytes: Buffer.of(), executable: false }
  const outcomes: Outcome[] = [
    ...gone,
    { path: 'new.ts', verb: 'move', after: blob, movedFrom: 'old.ts' },
    { path: 'b.ts', verb: 'add', after: blob },
  ]
  expect(outcomesInWords(outcomes)).toEqual(['1 file added', '1 file moved', '1 file removed:', '  a.ts'])
})
