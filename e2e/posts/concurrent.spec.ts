import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, signIn, test } from '../support.ts'

const WRITER = join(import.meta.dirname, 'concurrent-writer.js')
/** More than are written while somebody reads, few enough to end by itself. */
const LIMIT = '3000'

/** Another process that writes and deletes posts from now on. */
async function startWriting(page: Page, base: string): Promise<ChildProcess> {
  await signIn(page, 'alice')
  const cookies = await page.context().cookies()
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const writer = spawn(process.execPath, [WRITER, base, cookie, LIMIT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(writer.stdout, 'data')
  return writer
}

async function endWriting(writer: ChildProcess): Promise<void> {
  // It wrote until now, so that what was read was read meanwhile.
  expect(writer.exitCode).toBeNull()
  writer.kill()
  await once(writer, 'exit')
}

/** The ids of the seeded posts that are shown; others come and go. */
async function seededIds(links: Locator): Promise<number[]> {
  const hrefs = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''))
  const ids = hrefs.map((href) => Number(/^\/posts\/(\d+)$/.exec(href)?.[1]))
  expect(new Set(ids).size, 'a post twice on one page').toBe(ids.length)
  return ids.filter((id) => id <= SEEDED)
}

const SEEDED = 1_000

/** Every seeded post that is published, as the API lists them. */
async function publishedIds(page: Page): Promise<number[]> {
  const ids: number[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await page.request.get(`/api/posts?published=true&size=100&cursor=${cursor}`)
    const read = (await answer.json()) as { content: { id: number }[]; next_cursor: string | null }
    ids.push(...read.content.map(({ id }) => id))
    cursor = read.next_cursor
  }
  return ids.filter((id) => id <= SEEDED)
}

const distinct = (ids: readonly number[]) => [...new Set(ids)]

test.describe('while another process writes and deletes', () => {
  let writer: ChildProcess
  test.beforeEach(async ({ page, baseURL }) => {
    writer = await startWriting(page, baseURL ?? '')
  })
  test.afterEach(() => {
    writer.kill()
  })

  test('the feed shows every post that stays once, to its end and back', async ({ page }) => {
    test.slow()
    const titles = page.locator('ol.feed h2 a')
    const forth: number[] = []
    await page.goto('/feed?size=100')
    const next = page.getByRole('link', { name: 'Next' })
    for (;;) {
      forth.push(...(await seededIds(titles)))
      if ((await next.count()) === 0) break
      const first = await titles.first().getAttribute('href')
      await next.click()
      await expect(titles.first()).not.toHaveAttribute('href', first ?? '')
    }
    const back: number[] = []
    const previous = page.getByRole('link', { name: 'Previous' })
    while ((await previous.count()) > 0) {
      back.unshift(...(await seededIds(titles)))
      const first = await titles.first().getAttribute('href')
      await previous.click()
      await expect(titles.first()).not.toHaveAttribute('href', first ?? '')
    }
    await endWriting(writer)
    expect(forth).toEqual(await publishedIds(page))
    expect(distinct(back)).toEqual(back)
    // On the way back what was written in front may fill the first pages; behind them both ways agree.
    expect(forth.slice(-back.length)).toEqual(back)
  })

  test('the endless feed shows every post that stays once', async ({ page }) => {
    test.slow()
    await page.goto('/feed/scroll?size=100')
    const titles = page.locator('ol.feed h2 a')
    const more = page.getByRole('link', { name: 'Load more' })
    while ((await more.count()) > 0) {
      const count = await titles.count()
      await page.mouse.wheel(0, 50_000)
      await expect.poll(() => titles.count()).toBeGreaterThan(count)
    }
    await endWriting(writer)
    expect(await seededIds(titles)).toEqual(await publishedIds(page))
  })

  test('numbered pages fail nowhere, fill up, and count what there is', async ({ page }) => {
    await page.goto('/posts?size=50')
    const titles = page.locator('table.records tbody td:first-child > a')
    const pager = page.getByRole('navigation', { name: 'Pagination' })
    const seen: number[] = []
    for (let number = 1; ; number++) {
      await expect(pager.locator('[aria-current="page"]')).toHaveText(String(number))
      seen.push(...(await seededIds(titles)))
      const next = pager.getByRole('link', { name: 'Next' })
      if ((await next.count()) === 0) break
      expect(await titles.count()).toBe(50)
      await next.click()
    }
    await endWriting(writer)
    // Rows move between numbered pages as others come and go before them: that is what the feed is for.
    const { total_elements } = (await (await page.request.get('/api/posts?size=1')).json()) as {
      total_elements: number
    }
    expect(distinct(seen).length).toBeGreaterThan(600)
    expect(distinct(seen).length).toBeLessThanOrEqual(total_elements)
  })
})
