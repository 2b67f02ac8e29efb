import type { Page } from '@playwright/test'
import { expect, tabTo, test } from '../support.ts'
import { holdAutomaticLoads } from './support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('the feed is walked by keyboard, five pages on and back again', async ({ page }) => {
      await page.goto('/feed?size=2')
      await expect(page.getByText('Previous', { exact: true })).toHaveAttribute('aria-disabled', 'true')
      const walked = [await postsOf(page)]
      for (let step = 1; step <= 5; step++) {
        await follow(page, 'Next', javaScriptEnabled)
        walked.push(await postsOf(page))
      }
      expect(new Set(walked.flat()).size).toBe(12)
      for (let step = 4; step >= 1; step--) {
        await follow(page, 'Previous', javaScriptEnabled)
        expect(await postsOf(page)).toEqual(walked[step])
      }
    })
  })
}

// Others write posts meanwhile, which come in before the first page: it isn't looked at again.
async function follow(page: Page, name: 'Next' | 'Previous', javaScriptEnabled: boolean): Promise<void> {
  const before = page.url()
  const link = page.getByRole('navigation', { name: 'Pagination' }).getByRole('link', { name })
  // From wherever focus is: the top of a new page, or the heading that took it.
  await tabTo(page, link)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).not.toBe(before)
  await page.waitForLoadState()
  if (javaScriptEnabled) await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
}

test('the feed never shows page numbers', async ({ page }) => {
  await page.goto('/feed?page=3&size=5')
  const pager = page.getByRole('navigation', { name: 'Pagination' })
  await expect(pager.getByRole('listitem')).toHaveText(['Previous', 'Next'])
  await expect(pager.getByRole('link', { name: 'Next' })).toHaveAttribute(
    'href',
    /^\/feed\?size=5&cursor=[^&]+$/,
  )
})

test('scrolling down brings more posts, without touching address, history or focus', async ({ page }) => {
  await page.goto('/feed/scroll?size=5')
  const history = await page.evaluate(() => window.history.length)
  const first = await postsOf(page)
  await page.locator('#feed-more').scrollIntoViewIfNeeded()
  await expect.poll(async () => (await postsOf(page)).length).toBeGreaterThanOrEqual(10)
  const now = await postsOf(page)
  expect(now.slice(0, 5)).toEqual(first)
  expect(new Set(now).size).toBe(now.length)
  expect(await page.evaluate(() => window.history.length)).toBe(history)
  await expect(page).toHaveURL('/feed/scroll?size=5')
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
  await expect(page.getByRole('status')).toHaveText('5 more items')
  await expect(page.locator('#feed-more')).toHaveCount(1)
})

test('a click on the link brings more posts once, and focus to the first of them', async ({ page }) => {
  await holdAutomaticLoads(page)
  await page.goto('/feed/scroll?size=5')
  await page.getByRole('link', { name: 'Load more' }).press('Enter')
  await expect(page.locator('#feed > li').nth(5)).toBeFocused()
  expect(await postsOf(page)).toHaveLength(10)
  await expect(page).toHaveURL('/feed/scroll?size=5')
})

test('the last posts come without another link', async ({ page }) => {
  await page.goto('/feed/scroll?size=100')
  for (let presses = 0; presses < 60; presses++) {
    if ((await page.locator('#feed-more').count()) === 0) break
    const { length } = await postsOf(page)
    await page
      .locator('#feed-more')
      .scrollIntoViewIfNeeded({ timeout: 1_000 })
      .catch(() => {})
    await expect
      .poll(
        async () => (await postsOf(page)).length + Number((await page.locator('#feed-more').count()) === 0),
      )
      .toBeGreaterThan(length)
  }
  await expect(page.locator('#feed-more')).toHaveCount(0)
  const all = await postsOf(page)
  expect(new Set(all).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(100)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the link leads to the posts that follow, and from there back to the newest', async ({ page }) => {
    await page.goto('/feed/scroll?size=5')
    const first = await postsOf(page)
    await page.getByRole('link', { name: 'Load more' }).click()
    await expect(page).toHaveURL(/\/feed\/scroll\?size=5&cursor=/)
    const second = await postsOf(page)
    expect(second).toHaveLength(5)
    expect(second).not.toEqual(first)
    await page.getByRole('link', { name: 'Back to the newest posts' }).click()
    await expect(page).toHaveURL('/feed/scroll')
  })
})

test('the two feeds lead to each other', async ({ page }) => {
  await page.goto('/feed')
  await page.getByRole('link', { name: 'All on one page' }).click()
  await expect(page).toHaveURL('/feed/scroll')
  await page.getByRole('link', { name: 'Page by page' }).click()
  await expect(page).toHaveURL('/feed')
})

const postsOf = (page: Page) =>
  page.locator('.feed h2 a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
