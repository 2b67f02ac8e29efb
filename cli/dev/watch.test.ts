import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isCode, watchCode } from './watch.ts'

describe('isCode', () => {
  it.each(['.env', 'app/server.ts', 'app/posts/post.ts', 'app/config.toml'])(
    'returns true for %s',
    (path) => {
      expect(isCode(path)).toBe(true)
    },
  )

  it.each(['app/posts/post.test.ts', 'app/README.md', 'app/.x.ts.swp', 'views/a.ts', 'package.json'])(
    'returns false for %s',
    (path) => {
      expect(isCode(path)).toBe(false)
    },
  )
})

describe('watchCode', () => {
  it('reports changed, new and removed code, and a new .env', async () => {
    const { changes, write, remove } = await watched()
    write('app/server.ts')
    await expect.poll(() => changes).toEqual(['app/server.ts'])
    write('app/posts/post.ts')
    await expect.poll(() => changes).toHaveLength(2)
    write('.env')
    await expect.poll(() => changes).toHaveLength(3)
    remove('app/server.ts')
    await expect.poll(() => changes).toHaveLength(4)
    expect(changes.slice(1)).toEqual(['app/posts/post.ts', '.env', 'app/server.ts'])
  })

  it('reports simultaneous changes once, and ignores files that are not code', async () => {
    const { changes, write } = await watched()
    for (const file of ['app/a.ts', 'app/b.ts', 'app/a.test.ts', 'views/a.eta']) write(file)
    await expect.poll(() => changes).toHaveLength(1)
    // In this time, a second report would arrive.
    await sleep(300)
    expect(changes).toHaveLength(1)
  })
})

describe('watchCode during isWriting', () => {
  it('reports one change after all files are written', async () => {
    let isWriting = true
    const { changes, write } = await watched(() => isWriting)
    write('app/a.ts')
    await sleep(200)
    write('app/b.ts')
    await sleep(300)
    expect(changes).toEqual([])
    isWriting = false
    await expect.poll(() => changes).toEqual(['app/b.ts'])
  })
})

async function watched(isWriting?: () => boolean) {
  const root = mkdtempSync(join(tmpdir(), 'watch-'))
  for (const folder of ['app/posts', 'views']) mkdirSync(join(root, folder), { recursive: true })
  const write = (file: string) => writeFileSync(join(root, file), String(performance.now()))
  write('app/server.ts')
  const changes: string[] = []
  const watcher = watchCode(root, (file) => changes.push(file), isWriting)
  await watcher.ready
  onTestFinished(async () => {
    await watcher.close()
    rmSync(root, { recursive: true })
  })
  return { changes, write, remove: (file: string) => rmSync(join(root, file)) }
}
