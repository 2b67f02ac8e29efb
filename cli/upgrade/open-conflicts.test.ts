import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { UpgradeFixture } from '../test-support/upgrade-fixture.ts'
import { openConflictsIn } from './open-conflicts.ts'

const fixture = new UpgradeFixture()
afterAll(() => fixture.remove())
beforeEach(() => fixture.checkOut({ 'package.json': '{}\n' }))

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
  it('lists the files with conflicts of an upgrade, committed or not', () => {
    fixture.checkOut({ 'a.ts': 'mine\n', 'a.ts.conflict': MARKED.join('\n'), 'c.png': '\0' })
    fixture.write('b.ts', MARKED.join('\r\n'))
    fixture.write('c.png.theirs', '\0')
    expect(openConflictsIn(fixture.app)).toEqual([
      'a.ts: resolve the conflicts shown in a.ts.conflict, then delete a.ts.conflict.',
      'b.ts: resolve the conflict markers in the file.',
      'c.png: compare it with c.png.theirs, then delete c.png.theirs.',
    ])
  })

  it('ignores other files with similar names or markers, and deleted files', () => {
    const markers = '<<<<<<< mine\na\n=======\nb\n>>>>>>> other\n'
    fixture.checkOut({ 'x.ts': '', 'x.ts.theirs': 'text\n', 'y.png': '\0', 'y.png.theirs': '\0' })
    rmSync(join(fixture.app, 'y.png.theirs'))
    for (const [path, text] of [
      ['x.conflict', 'x\n'],
      ['x.theirs', 'x\n'],
      ['x.md', markers],
    ] as const)
      fixture.write(path, text)
    expect(openConflictsIn(fixture.app)).toEqual([])
  })
})
