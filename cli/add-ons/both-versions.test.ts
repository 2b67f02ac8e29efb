import { afterAll, expect, it } from 'vitest'
import { type Files, UpgradeFixture } from '../test-support/upgrade-fixture.ts'

const fixture = new UpgradeFixture()
afterAll(() => fixture.remove())

const DECLARATION = JSON.stringify({
  description: 'rings',
  cost: 'nothing',
  packages: { chime: { version: '1.0.0', reason: 'It chimes.' } },
})
const PACKAGE = { name: 'app', dependencies: {} }

/** A version of Pergola with the add-on `bell`. */
const version = (bell: Files, app = 'one()\n\ntwo()\n\nthree()\n'): Files => ({
  'package.json': JSON.stringify(PACKAGE, null, 2),
  'app/app.ts': app,
  ...Object.fromEntries(Object.entries(bell).map(([path, text]) => [`cli/add-ons/bell/${path}`, text])),
})

const FIRST = {
  'add-on.json': DECLARATION,
  'files/app/bell.ts': 'first\n\nsecond\n\nthird\n',
  'files/app/tone.ts': 'low\n',
  'edits/app/app.ts.diff': ' one()\n+ring()\n',
}

const added = (app: Files): Files => ({
  ...version(FIRST),
  'app/bell.ts': FIRST['files/app/bell.ts'],
  'app/tone.ts': FIRST['files/app/tone.ts'],
  'app/app.ts': 'one()\nring()\n\ntwo()\n\nthree()\n',
  'package.json': JSON.stringify(
    { name: 'app', dependencies: { chime: '1.0.0' }, pergola: { addOns: { bell: ['chime'] } } },
    null,
    2,
  ),
  ...app,
})

it('merges the new version of an add-on with the edits of the application', async () => {
  const { texts, changed } = await fixture.plan({
    base: version(FIRST),
    ours: added({ 'app/bell.ts': 'first\n\nsecond\n\nours\n' }),
    theirs: version(
      {
        ...FIRST,
        'add-on.json': DECLARATION.replace('1.0.0', '2.0.0'),
        'files/app/bell.ts': 'theirs\n\nsecond\n\nthird\n',
        'files/app/volume.ts': 'loud\n',
        'edits/app/app.ts.diff': ' one()\n+ring(2)\n',
      },
      'one()\n\ntwo()\n\nthree()\nfour()\n',
    ),
  })
  expect(texts).toMatchObject({
    'merge app/bell.ts': 'theirs\n\nsecond\n\nours\n',
    'add app/volume.ts': 'loud\n',
  })
  expect(changed.get('app/app.ts')).toBe('one()\nring(2)\n\ntwo()\n\nthree()\nfour()\n')
  expect(JSON.parse(changed.get('package.json') ?? '')).toMatchObject({
    dependencies: { chime: '2.0.0' },
    pergola: { addOns: { bell: ['chime'] } },
  })
  expect(changed.has('app/tone.ts')).toBe(false)
})

it('leaves the files of an add-on that the new version lacks to the application', async () => {
  const { paths, changed } = await fixture.plan({
    base: version(FIRST),
    ours: added({}),
    theirs: version({}),
  })
  expect(paths).toEqual(expect.arrayContaining(['app/bell.ts', 'app/tone.ts']))
  expect(changed.has('app/app.ts')).toBe(false)
})

it('ignores the add-ons that the application lacks', async () => {
  const { paths, changed } = await fixture.plan({
    base: version(FIRST),
    ours: version(FIRST),
    theirs: version({ ...FIRST, 'files/app/tone.ts': 'high\n' }),
  })
  expect(paths).not.toContain('app/tone.ts')
  expect(changed.has('app/app.ts')).toBe(false)
})
