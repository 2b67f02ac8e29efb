import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { UpgradeFixture } from '../test-support/upgrade-fixture.ts'
import { writeUpgrade } from './write.ts'

const fixture = new UpgradeFixture()
const inner = new UpgradeFixture('apps/mine/')
afterAll(() => [fixture, inner].map((one) => one.remove()))

const LINES = ['one', 'two', 'three', 'four', 'five'].map((line) => `${line}\n`).join('')
const versions = {
  base: { 'a.ts': LINES, 'gone.ts': 'g\n', 'old.ts': `${LINES}old\n` },
  ours: { 'a.ts': `mine\n${LINES}`, 'gone.ts': 'g\n', 'old.ts': `${LINES}old\n`, 'app/mine.ts': 'm\n' },
  theirs: { 'a.ts': `${LINES}fresh\n`, 'new.ts': 'n\n', 'src/old.ts': `${LINES}old\n` },
}
const STATUS = ['M  a.ts', 'D  gone.ts', 'A  new.ts', 'M  package.json', 'R  old.ts -> src/old.ts']
const read = (one: UpgradeFixture, path: string) => readFileSync(join(one.app, path), 'utf8')

describe('writeUpgrade', () => {
  it('writes the index and the files, and leaves a complete repository', async () => {
    await fixture.upgrade(versions)
    expect(fixture.git('status', '--porcelain').split('\n')).toEqual(STATUS)
    expect(read(fixture, 'a.ts')).toBe(`mine\n${LINES}fresh\n`)
    expect(fixture.git('fsck', '--strict', '--no-dangling')).toBe('')
    fixture.git('stash', '--quiet')
    expect([fixture.git('status', '--porcelain'), read(fixture, 'a.ts')]).toEqual(['', `mine\n${LINES}`])
    fixture.git('stash', 'pop', '--quiet', '--index')
    fixture.git('gc', '--quiet', '--prune=now')
    expect(fixture.git('status', '--porcelain').split('\n')).toEqual(STATUS)
    fixture.git('commit', '--quiet', '--message', 'Upgrade')
    expect(fixture.git('fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('leaves the file that shows a conflict out of the index', async () => {
    const conflict = new UpgradeFixture('apps/mine/')
    onTestFinished(() => conflict.remove())
    await conflict.upgrade({
      base: { 'a.ts': 'one\n' },
      ours: { 'a.ts': 'mine\n' },
      theirs: { 'a.ts': 'new\n' },
    })
    const status = conflict.git('status', '--porcelain').split('\n')
    expect(status).toEqual(['M  apps/mine/package.json', '?? apps/mine/a.ts.conflict'])
    expect(read(conflict, 'a.ts.conflict')).toContain('new\n')
  })

  it('upgrades an application in a folder of a larger repository', async () => {
    const checkOut = inner.checkOut.bind(inner)
    vi.spyOn(inner, 'checkOut').mockImplementation((files) => {
      checkOut(files)
      writeFileSync(join(inner.root, 'other.md'), 'other\n')
      inner.git('add', '--all')
      inner.git('commit', '--quiet', '--amend', '--message', 'Add another file')
    })
    await inner.upgrade(versions)
    const status = inner.git('status', '--porcelain').split('\n')
    expect(status).toEqual(STATUS.map((line) => line.replaceAll(/(?<=^.. |> )/g, 'apps/mine/')))
    expect(read(inner, 'a.ts')).toBe(`mine\n${LINES}fresh\n`)
    expect(readFileSync(join(inner.root, 'other.md'), 'utf8')).toBe('other\n')
  })

  it.each(['TERM', 'KILL'])('can be restored with git after SIG%s', async (signal) => {
    // Git runs this filter when it writes the file, after it has removed others.
    fixture.git('config', 'filter.die.smudge', `kill -${signal} $PPID; cat`)
    const attributes = { '.gitattributes': 'new.ts filter=die\n' }
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const interrupted = fixture.upgrade({ ...versions, ours: { ...versions.ours, ...attributes } })
    await expect(interrupted).rejects.toThrow('git read-tree failed')
    expect(error.mock.calls.join()).toContain('`git reset --hard && git clean -fd`')
    error.mockRestore()
    expect(existsSync(join(fixture.app, 'gone.ts'))).toBe(false)
    // Git leaves its lock only after a kill.
    const lock = join(fixture.root, '.git/index.lock')
    expect(existsSync(lock)).toBe(signal === 'KILL')
    rmSync(lock, { force: true })
    fixture.git('reset', '--quiet', '--hard')
    fixture.git('clean', '-fdq')
    expect(fixture.git('status', '--porcelain')).toBe('')
    for (const [path, text] of Object.entries(versions.ours)) expect(read(fixture, path)).toBe(text)
    expect(fixture.git('fsck', '--strict', '--no-dangling')).toBe('')
    fixture.git('config', '--unset', 'filter.die.smudge')
  })

  it('writes nothing if a file or the last commit changed after the plan', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const edited = fixture.withPlan(versions, ({ sides, after }, store) => {
      fixture.write('a.ts', 'edited\n')
      writeUpgrade(fixture.app, store.folder, { head: sides.head, after, besides: [] })
    })
    await expect(edited).rejects.toThrow("Entry 'a.ts' not uptodate")
    expect([read(fixture, 'a.ts'), existsSync(join(fixture.app, 'new.ts'))]).toEqual(['edited\n', false])
    const committed = fixture.withPlan(versions, ({ sides, after }, store) => {
      fixture.write('a.ts', 'edited\n')
      fixture.git('commit', '--quiet', '--all', '--message', 'Edit')
      writeUpgrade(fixture.app, store.folder, { head: sides.head, after, besides: [] })
    })
    await expect(committed).rejects.toThrow("Entry 'a.ts' would be overwritten by merge")
    expect([read(fixture, 'a.ts'), fixture.git('status', '--porcelain')]).toEqual(['edited\n', ''])
  })

  it('keeps the line ends of a checkout with core.autocrlf', async () => {
    fixture.git('config', 'core.autocrlf', 'true')
    await fixture.upgrade(versions)
    expect(read(fixture, 'a.ts')).toBe(`mine\n${LINES}fresh\n`.replaceAll('\n', '\r\n'))
    expect(read(fixture, 'new.ts')).toBe('n\r\n')
    expect(fixture.git('status', '--porcelain').split('\n')).toEqual(STATUS)
    fixture.git('config', '--unset', 'core.autocrlf')
  })
})
