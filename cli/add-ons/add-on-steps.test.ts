import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { textAt } from '../project/file-text.ts'
import type { Project } from '../scaffold/project/project.ts'
import type { AddOn } from './add-on.ts'
import { stepsToAdd, stepsToRemove } from './add-on-steps.ts'
import { writeSteps } from './write-add-on.ts'

const FILES = {
  'package.json': '{\n  "name": "app"\n}\n',
  'app/app.ts': 'one()\r\ntwo()\r\n',
  'security.manifest.json': '{}\n',
}

const addOn: AddOn = {
  name: 'bell',
  description: 'rings',
  cost: 'nothing',
  needs: [],
  packages: {},
  files: new Map([
    ['app/bell/bell.ts', 'export {}\n'],
    ['app/bell/tone.ts', 'export {}\n'],
  ]),
  edits: new Map([['app/app.ts', ' one()\n+bell()\n']]),
}

/** Writes the files of an application into a folder. Returns how to add and remove the add-on there. */
function application(files: Readonly<Record<string, string>> = FILES) {
  const root = mkdtempSync(join(tmpdir(), 'pergola-add-on-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const project = { root, manifest: () => Promise.resolve('{}') } as Project
  const steps = {
    add: () => stepsToAdd(root, addOn),
    remove: (force = false) => stepsToRemove(root, addOn, { others: [], force }),
  }
  const verbsOf = (all: readonly { path: string; verb: string }[]) =>
    Object.fromEntries(all.map(({ path, verb }) => [path, verb]))
  return {
    root,
    project,
    write,
    read: (path: string) => textAt(root, path),
    add: async () => verbsOf(await writeSteps(project, steps.add())),
    remove: async (force?: boolean) => verbsOf(await writeSteps(project, steps.remove(force))),
    steps,
  }
}

describe('an add-on', () => {
  it('is added once, and removed to the byte', async () => {
    const app = application()
    expect(await app.add()).toMatchObject({
      'app/bell/bell.ts': 'create',
      'app/bell/tone.ts': 'create',
      'app/app.ts': 'change',
      'package.json': 'change',
    })
    expect(app.read('app/app.ts')).toBe('one()\r\nbell()\r\ntwo()\r\n')
    expect(Object.values(await app.add())).toEqual(['same', 'same', 'same', 'same'])
    expect(await app.remove()).toMatchObject({ 'app/bell/bell.ts': 'remove', 'app/app.ts': 'change' })
    for (const [path, text] of Object.entries(FILES)) expect(app.read(path)).toBe(text)
    expect(app.read('app/bell/bell.ts')).toBeNull()
  })

  it('keeps an edited file when it is removed and added again, unless force is set', async () => {
    const app = application()
    await app.add()
    app.write('app/bell/bell.ts', 'mine\n')
    expect(await app.remove()).toMatchObject({ 'app/bell/bell.ts': 'keep', 'app/bell/tone.ts': 'remove' })
    expect(await app.add()).toMatchObject({ 'app/bell/bell.ts': 'keep', 'app/bell/tone.ts': 'create' })
    expect(app.read('app/bell/bell.ts')).toBe('mine\n')
    expect(await app.remove(true)).toMatchObject({ 'app/bell/bell.ts': 'remove' })
    expect(app.read('app/bell/bell.ts')).toBeNull()
  })

  it('leaves an edit to the developer if the file has no place for it, or the edit was changed', async () => {
    const app = application({ ...FILES, 'app/app.ts': 'start()\n' })
    const [step] = app.steps.add().filter(({ path }) => path === 'app/app.ts')
    expect(step).toMatchObject({ verb: 'keep', byHand: ' one()\n+bell()\n' })
    expect(await app.add()).toMatchObject({ 'app/app.ts': 'keep', 'app/bell/bell.ts': 'create' })
    app.write('app/app.ts', 'start()\nbell(2)\n')
    expect(await app.remove()).toMatchObject({ 'app/app.ts': 'keep', 'app/bell/bell.ts': 'remove' })
    expect(app.read('app/app.ts')).toBe('start()\nbell(2)\n')
  })

  it('changes nothing if a step fails', async () => {
    const app = application()
    let calls = 0
    const manifest = () =>
      calls++ === 0 ? Promise.resolve('{}') : Promise.reject(new Error('The code is broken.'))
    await expect(writeSteps({ ...app.project, manifest }, app.steps.add())).rejects.toThrow(
      'All changes were rolled back',
    )
    for (const [path, text] of Object.entries(FILES)) expect(app.read(path)).toBe(text)
    expect(app.read('app/bell/bell.ts')).toBeNull()
    expect(() => readFileSync(join(app.root, '.data/writing.lock'))).toThrow('ENOENT')
  })
})
