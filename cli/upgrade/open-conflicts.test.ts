import { describe, expect, it } from 'vitest'
import { treeWith } from '../test-support/test-trees.ts'
import { openConflictsIn } from './open-conflicts.ts'

const MARKED = [
  '<<<<<<< yours',
  'mine',
  '||||||| the old version',
  'old',
  '=======',
  'theirs',
  '>>>>>>> the new version',
  '',
]

describe('openConflictsIn', () => {
  it('lists the files with conflicts of an upgrade', () => {
    const binary = Buffer.from([0, 1])
    const open = openConflictsIn(
      treeWith({
        'a.ts': 'mine\n',
        'a.ts.conflict': MARKED.join('\n'),
        'b.ts': MARKED.join('\r\n'),
        'c.png': binary,
        'c.png.theirs': binary,
      }),
    )
    expect(open).toEqual([
      'a.ts: resolve the conflicts shown in a.ts.conflict, then delete a.ts.conflict.',
      'b.ts: resolve the conflict markers in the file.',
      'c.png: compare it with c.png.theirs, then delete c.png.theirs.',
    ])
  })

  it('ignores other files with similar names or markers', () => {
    const markers = '<<<<<<< mine\na\n=======\nb\n>>>>>>> other\n'
    expect(openConflictsIn(treeWith({ 'x.conflict': 'x\n', 'x.theirs': 'x\n', 'x.md': markers }))).toEqual([])
  })
})
