import type { Page } from '@playwright/test'
import { NOTES } from './data.ts'
import { expect, failOnce, hrefsOf, REASON, test } from './support.ts'

test.describe('an endless list', () => {
  test('loads more items on scroll, and keeps the URL, the history and the focus', async ({ page }) => {
    await page.goto('/feed/scroll?size=5')
    const history = await page.evaluate(() => window.history.length)
    await moreOf(page).scrollIntoViewIfNeeded()
    await expect.poll(async () => (await notesOf(page)).length).toBeGreaterThanOrEqual(10)
    const shown = await notesOf(page)
    expect(shown).toEqual(newest(shown.length))
    expect(await page.evaluate(() => window.history.length)).toBe(history)
    await expect(page).toHaveURL('/feed/scroll?size=5')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
    await expect(page.getByRole('status')).toHaveText('5 more items')
    await expect(moreOf(page)).toHaveCount(1)
  })

  test('loads more items once on a click, and focuses the first new item', async ({ page }) => {
    await holdAutomaticLoads(page)
    await page.goto('/feed/scroll?size=5')
    await page.getByRole('link', { name: 'Load more' }).press('Enter')
    await expect(page.locator('#feed > li').nth(5)).toBeFocused()
    expect(await notesOf(page)).toEqual(newest(10))
    await expect(page).toHaveURL('/feed/scroll?size=5')
  })

  test('has no link after the last items', async ({ page }) => {
    await page.goto('/feed/scroll?size=100')
    const notes = page.locator('.feed h2 a')
    for (const count of [200, NOTES]) {
      await page.mouse.wheel(0, 100_000)
      await expect(notes).toHaveCount(count)
    }
    await expect(moreOf(page)).toHaveCount(0)
    expect(await notesOf(page)).toEqual(newest(NOTES))
  })

  test('shows the error if loading fails, keeps its items, and loads more on the next click', async ({
    page,
  }) => {
    await failOnce(page, /cursor=/, 503)
    await holdAutomaticLoads(page)
    await page.goto('/feed/scroll?size=5')
    await page.getByRole('link', { name: 'Load more' }).click()
    await expect(page.getByRole('alert')).toHaveText(REASON)
    expect(await notesOf(page)).toEqual(newest(5))
    await page.getByRole('link', { name: 'Load more' }).click()
    await expect.poll(() => notesOf(page)).toEqual(newest(10))
    await expect(page.getByRole('alert').filter({ hasText: REASON })).toHaveCount(0)
  })
})

test.describe('an endless list without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('has a link to the next items', async ({ page }) => {
    await page.goto('/feed/scroll?size=5')
    await page.getByRole('link', { name: 'Load more' }).click()
    await expect(page).toHaveURL(/\/feed\/scroll\?size=5&cursor=/)
    expect(await notesOf(page)).toEqual(newest(10).slice(5))
    await page.getByRole('link', { name: 'Back to the newest notes' }).click()
    await expect(page).toHaveURL('/feed/scroll')
  })
})

/** Never responds to automatic requests, so that only a click on the link loads items. */
const holdAutomaticLoads = (page: Page) =>
  page.route('/feed/scroll?*', async (route) => {
    if (route.request().headers()['hx-source'] !== 'li#feed-more') await route.fallback()
  })

const newest = (count: number) => Array.from({ length: count }, (_, index) => `/notes/${NOTES - index}`)
const notesOf = (page: Page) => hrefsOf(page.locator('.feed h2 a'))
const moreOf = (page: Page) => page.locator('#feed-more')
