import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { NOTES } from './data.ts'
import { expect, hrefsOf, startServer, test as base } from './support.ts'

/** A server for each test, because its notes change, and a process that creates and deletes notes. */
const test = base.extend<{ writer: ChildProcess }>({
  async baseURL({}, use) {
    const server = await startServer()
    await use(server.url)
    await server.end()
  },
  async writer({ baseURL }, use) {
    const writer = fork(join(import.meta.dirname, 'writer.ts'), [baseURL ?? ''])
    await once(writer, 'message')
    await use(writer)
    // The process must still run at the end of the test.
    expect(writer.exitCode).toBeNull()
    const exit = once(writer, 'exit')
    writer.disconnect()
    await exit
  },
})

/** Returns the ids on a page that belong to the initial notes, which are not deleted. */
async function firstIds(links: Locator): Promise<number[]> {
  const ids = (await hrefsOf(links)).map((href) => Number(/^\/notes\/(\d+)$/.exec(href ?? '')?.[1]))
  expect(new Set(ids).size, 'no note twice on a page').toBe(ids.length)
  return ids.filter((id) => id <= NOTES)
}

const newestFirst = Array.from({ length: NOTES }, (_, index) => NOTES - index)

test.describe('while another process creates and deletes notes', () => {
  test.beforeEach(({ writer }) => expect(writer.connected).toBe(true))

  test('cursor pages show every remaining note once, to the end and back', async ({ page }) => {
    const notes = page.locator('.feed h2 a')
    const forward: number[] = []
    await page.goto('/feed?size=20')
    const next = page.getByRole('link', { name: 'Next' })
    for (;;) {
      forward.push(...(await firstIds(notes)))
      if ((await next.count()) === 0) break
      const first = await notes.first().getAttribute('href')
      await next.click()
      await expect(notes.first()).not.toHaveAttribute('href', first ?? '')
    }
    const back: number[] = []
    const previous = page.getByRole('link', { name: 'Previous' })
    while ((await previous.count()) > 0) {
      back.unshift(...(await firstIds(notes)))
      const first = await notes.first().getAttribute('href')
      await previous.click()
      await expect(notes.first()).not.toHaveAttribute('href', first ?? '')
    }
    expect(forward).toEqual(newestFirst)
    // On the way back, new notes may fill the first pages. The later pages show the same notes in both directions.
    expect(back.length).toBeGreaterThan(NOTES / 2)
    expect(newestFirst.slice(-back.length)).toEqual(back)
  })

  test('an endless list shows every remaining note once', async ({ page }) => {
    await page.goto('/feed/scroll?size=20')
    const notes = page.locator('.feed h2 a')
    const more = page.getByRole('link', { name: 'Load more' })
    while ((await more.count()) > 0) {
      const count = await notes.count()
      await page.mouse.wheel(0, 50_000)
      await expect.poll(() => notes.count()).toBeGreaterThan(count)
    }
    expect(await firstIds(notes)).toEqual(newestFirst)
  })

  test('numbered pages are full, and count the notes', async ({ page }) => {
    await page.goto('/notes?size=20')
    const notes = page.locator('tbody td:first-child a')
    const pager = page.getByRole('navigation', { name: 'Pagination' })
    const seen = new Set<number>()
    for (let number = 1; ; number++) {
      await expect(pager.locator('[aria-current="page"]')).toHaveText(String(number))
      for (const id of await firstIds(notes)) seen.add(id)
      const next = pager.getByRole('link', { name: 'Next' })
      if ((await next.count()) === 0) break
      expect(await notes.count()).toBe(20)
      await next.click()
    }
    // Rows move between numbered pages if earlier rows are inserted or deleted, so this doesn't expect each row once.
    expect(seen.size).toBeGreaterThan(NOTES * 0.9)
    const answer = await page.request.get('/api/notes?size=1')
    const { total_elements } = (await answer.json()) as { total_elements: number }
    expect(total_elements).toBeGreaterThan(NOTES)
    expect(total_elements).toBeLessThanOrEqual(NOTES + 11)
  })
})
