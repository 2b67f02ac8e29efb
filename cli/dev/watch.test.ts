import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isCode, isOfPages, watchFiles } from './watch.ts'

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

describe('isOfPages', () => {
  it.each(['views/posts/index.eta', 'app/framework/views/pager.eta', 'public/app.css'])(
    'returns true for %s',
    (path) => {
      expect(isOfPages(path)).toBe(true)
    },
  )

  it.each(['views/posts/.index.eta.swp', 'app/posts/post.ts', 'docs/a.eta'])(
    'returns false for %s',
    (path) => {
      expect(isOfPages(path)).toBe(false)
    },
  )
})

describe('watchFiles', () => {
  it('reports changed, new and removed code, and a new .env', async () => {
    const { code, watcher, write, remove } = await watched()
    write('app/server.ts')
    await expect.poll(() => code).toEqual(['app/server.ts'])
    await watcher.settled()
    write('app/posts/post.ts')
    await expect.poll(() => code).toHaveLength(2)
    await watcher.settled()
    write('.env')
    await expect.poll(() => code).toHaveLength(3)
    await watcher.settled()
    remove('app/server.ts')
    await expect.poll(() => code).toHaveLength(4)
    expect(code.slice(1)).toEqual(['app/posts/post.ts', '.env', 'app/server.ts'])
  })

  it('reports each of several changes, and ignores files that no page depends on', async () => {
    const { code, pages, write } = await watched()
    for (const file of ['app/a.ts', 'app/b.ts', 'app/a.test.ts', 'views/a.txt']) write(file)
    await expect.poll(() => code.toSorted()).toEqual(['app/a.ts', 'app/b.ts'])
    // In this time, another report would arrive.
    await sleep(300)
    expect([code.length, pages()]).toEqual([2, 0])
  })

  it('reports a change at once, and settles after the last one', async () => {
    const { code, watcher, write } = await watched()
    await watcher.settled()
    write('app/a.ts')
    await expect.poll(() => code).toHaveLength(1)
    let isSettled = false
    const settled = watcher.settled().then(() => (isSettled = true))
    expect(isSettled).toBe(false)
    await settled
    expect(code).toEqual(['app/a.ts'])
  })

  it('reports changed views and public files together', async () => {
    const { code, pages, write } = await watched()
    for (const file of ['views/a.eta', 'views/b.eta', 'public/app.css']) write(file)
    await expect.poll(pages).toBeGreaterThan(0)
    await sleep(300)
    expect([code, pages()]).toEqual([[], 1])
  })
})

describe('watchFiles during isWriting', () => {
  it('reports the changes after all files are written', async () => {
    let isWriting = true
    const { code, pages, write } = await watched(() => isWriting)
    for (const file of ['app/a.ts', 'views/a.eta']) write(file)
    await sleep(200)
    write('app/b.ts')
    await sleep(300)
    expect([code, pages()]).toEqual([[], 0])
    isWriting = false
    await expect.poll(() => code.toSorted()).toEqual(['app/a.ts', 'app/b.ts'])
    await expect.poll(pages).toBe(1)
  })
})

async function watched(isWriting = () => false) {
  const root = mkdtempSync(join(tmpdir(), 'watch-'))
  for (const folder of ['app/posts', 'views', 'public']) mkdirSync(join(root, folder), { recursive: true })
  const write = (file: string) => writeFileSync(join(root, file), String(performance.now()))
  write('app/server.ts')
  const code: string[] = []
  let pages = 0
  const watcher = watchFiles(root, { code: (file) => code.push(file), pages: () => (pages += 1), isWriting })
  await watcher.ready
  onTestFinished(async () => {
    await watcher.close()
    rmSync(root, { recursive: true })
  })
  return { code, pages: () => pages, watcher, write, remove: (file: string) => rmSync(join(root, file)) }
}
