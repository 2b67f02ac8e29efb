import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { textAt } from '../project/file-text.ts'
import type { Project } from '../scaffold/project/project.ts'
import type { AddOn } from './add-on.ts'
import { type Change, changeToAdd, changeToRemove } from './add-on-steps.ts'
import { refuseUsed } from './refuse-used.ts'
import { writeSteps } from './write-add-on.ts'

const FILES = {
  'package.json': '{\n  "name": "app"\n}\n',
  'package-lock.json': '{}\n',
  'app/app.ts': 'one()\r\ntwo()\r\n',
  'security.manifest.json': '{}\n',
}

const bell: AddOn = {
  name: 'bell',
  description: 'rings',
  cost: 'nothing',
  needs: [],
  views: [],
  remedy: 'Change them first.',
  packages: {},
  files: new Map([
    ['app/bell/bell.ts', 'export {}\n'],
    ['app/bell/tone.ts', 'export {}\n'],
  ]),
  edits: new Map([['app/app.ts', ' one()\n+bell()\n']]),
}

/** Writes the files of an application into a folder. Returns how to add an add-on there, and how to remove it. */
function application(files: Readonly<Record<string, string>> = FILES, addOn = bell) {
  const root = mkdtempSync(join(tmpdir(), 'pergola-add-on-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const project = { root, manifest: () => Promise.resolve('{}') } as Project
  const changes = {
    add: () => changeToAdd(root, addOn),
    remove: (force = false) => changeToRemove(root, addOn, { others: [], force }),
  }
  const carryOut = async ({ steps }: Change) =>
    Object.fromEntries((await writeSteps(project, steps)).map(({ path, verb }) => [path, verb]))
  const texts = () => Object.fromEntries(Object.keys(FILES).map((path) => [path, textAt(root, path)]))
  return {
    root,
    project,
    changes,
    write,
    texts,
    read: (path: string) => textAt(root, path),
    add: () => carryOut(changes.add()),
    remove: (force?: boolean) => carryOut(changes.remove(force)),
  }
}

/** Puts a program `npm` first on the PATH, which runs this script. */
function fakeNpm(script: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-npm-'))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'npm'), 0o755)
  vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter))
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
    expect(app.texts()).toEqual(FILES)
    expect(existsSync(join(app.root, 'app/bell'))).toBe(false)
  })

  it('keeps an edited file, and stays in package.json until the file is gone, also by force', async () => {
    const app = application()
    await app.add()
    app.write('app/bell/bell.ts', 'mine\n')
    expect(await app.remove()).toMatchObject({ 'app/bell/bell.ts': 'keep', 'app/bell/tone.ts': 'remove' })
    expect(app.read('package.json')).toContain('"bell"')
    expect(await app.add()).toMatchObject({ 'app/bell/bell.ts': 'keep', 'app/bell/tone.ts': 'create' })
    expect(app.read('app/bell/bell.ts')).toBe('mine\n')
    await app.remove()
    expect(await app.remove(true)).toMatchObject({ 'app/bell/bell.ts': 'remove', 'package.json': 'change' })
    expect(app.texts()).toEqual(FILES)
  })

  it('leaves an edit that doesn’t fit to the developer, and accepts it when it is made or undone', async () => {
    const app = application({ ...FILES, 'app/app.ts': 'start()\n' })
    expect(app.changes.add().byHand).toEqual(bell.edits)
    app.write('app/app.ts', 'start()\nbell()\n')
    expect(app.changes.add().byHand.size).toBe(0)
    expect(await app.add()).toMatchObject({ 'app/app.ts': 'same', 'app/bell/bell.ts': 'create' })
    app.write('app/app.ts', 'start()\nbell()\nbell()\n')
    expect(app.changes.remove().byHand).toEqual(bell.edits)
    app.write('app/app.ts', 'start()\n')
    expect(await app.remove()).toMatchObject({ 'app/app.ts': 'same', 'app/bell/bell.ts': 'remove' })
    expect(app.read('app/app.ts')).toBe('start()\n')
  })
})

describe('a file of the application that uses an add-on', () => {
  const shown: AddOn = {
    ...bell,
    views: ['bell'],
    files: new Map([...bell.files, ['views/partials/bell.eta', '<%= it.bell %>']]),
  }

  it.each([
    ['app/tower/tower.ts', "import '#app/bell/bell.ts'\n"],
    ['app/app.ts', "import './bell/tone.ts'\none()\nbell()\ntwo()\n"],
    ['views/tower/show.eta', "<%~ include('/partials/bell') %>"],
    ['views/tower/show.eta', '<%~ it.bell() %>'],
  ])('%s with %j is named, and the add-on can’t be removed', async (path, text) => {
    const app = application(FILES, shown)
    await app.add()
    app.write('views/tower/other.eta', "<%~ include('/partials/bells') %><%= it.bells %>")
    expect(() => refuseUsed(app.root, app.changes.remove())).not.toThrow()
    app.write(path, text)
    expect(() => refuseUsed(app.root, app.changes.remove(true))).toThrow(
      `These files use bell:\n  ${path}\nChange them first. No files were written.`,
    )
  })

  it('may be an edited file of the add-on, or its source, which stops no removal', async () => {
    const app = application(FILES, shown)
    await app.add()
    app.write('app/bell/tone.ts', "import './bell.ts'\n")
    app.write('cli/add-ons/bell/files/app/bell/bell.test.ts', "import '#app/bell/bell.ts'\n")
    expect(() => refuseUsed(app.root, app.changes.remove())).not.toThrow()
  })
})

describe('the diff of an edit', () => {
  it('may have the headers of git', async () => {
    const header =
      'diff --git a/app/app.ts b/app/app.ts\nindex 1..2 100644\n--- a/app/app.ts\n+++ b/app/app.ts\n@@ -1,2 +1,3 @@\n'
    const app = application(FILES, {
      ...bell,
      edits: new Map([['app/app.ts', `${header} one()\n+bell()\n two()\n`]]),
    })
    await app.add()
    expect(app.read('app/app.ts')).toBe('one()\r\nbell()\r\ntwo()\r\n')
    await app.remove()
    expect(app.texts()).toEqual(FILES)
  })

  it('is refused with a line that has no sign', () => {
    const app = application(FILES, { ...bell, edits: new Map([['app/app.ts', ' one()\nbell()\n']]) })
    expect(() => app.changes.add()).toThrow('needs +, - or a space in front: bell()')
  })
})

describe('a failed step', () => {
  const chiming: AddOn = { ...bell, packages: { chime: { version: '1.0.0', reason: 'It chimes.' } } }
  const broken = () => {
    let calls = 0
    return () => (calls++ === 0 ? Promise.resolve('{}') : Promise.reject(new Error('The code is broken.')))
  }

  // The program of the test is a script of a shell.
  it.skipIf(process.platform === 'win32').each([
    ['npm', 'echo changed > package-lock.json; exit 1', () => Promise.resolve('{}'), 'npm install failed'],
    ['the manifest', 'echo changed > package-lock.json', broken(), 'All changes were rolled back'],
  ])('restores all files, also the lockfile: %s', async (_, script, manifest, message) => {
    const app = application(FILES, chiming)
    fakeNpm(script)
    const adding = writeSteps({ ...app.project, manifest }, app.changes.add().steps)
    await expect(adding).rejects.toThrow(message)
    expect(app.texts()).toEqual(FILES)
    expect(['app/bell', '.data/writing.lock'].filter((path) => existsSync(join(app.root, path)))).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('is not the installation of packages', async () => {
    const app = application(FILES, chiming)
    fakeNpm('echo changed > package-lock.json')
    await app.add()
    expect(app.read('package-lock.json')).toBe('changed\n')
    expect(app.read('package.json')).toContain('"chime": "1.0.0"')
  })
})
