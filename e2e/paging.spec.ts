import type { Locator, Page } from '@playwright/test'
import { expect, signIn, test } from './support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('alice pages through the posts, back and forward', async ({ page }) => {
      await signIn(page, 'alice')
      await page.goto('/posts')
      const pager = page.getByRole('navigation', { name: 'Pagination' })
      await pager.getByRole('link', { name: 'Page 2', exact: true }).click()
      await expect(page).toHaveURL('/posts?page=2')
      await expect(page).toHaveTitle('Posts, page 2 · Pergola')
      await page.mouse.wheel(0, 10_000)
      await expect.poll(() => scrollOf(page)).toBeGreaterThan(0)
      const scrolled = await scrollOf(page)

      await pager.getByRole('link', { name: 'Page 3', exact: true }).click()
      await expect(page).toHaveURL('/posts?page=3')
      await expect(page).toHaveTitle('Posts, page 3 · Pergola')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Posts, page 3')
      await expect.poll(() => scrollOf(page)).toBe(0)
      await expect(pager.locator('[aria-current="page"]')).toHaveText('3')

      await page.goBack()
      await expect(page).toHaveURL('/posts?page=2')
      await expect(page).toHaveTitle('Posts, page 2 · Pergola')
      await expect.poll(() => scrollOf(page)).toBe(scrolled)
      await page.goForward()
      await expect(page).toHaveTitle('Posts, page 3 · Pergola')
      await page.reload()
      await expect(page).toHaveTitle('Posts, page 3 · Pergola')
    })

    test('every link of the pager keeps the rest of the query', async ({ page }) => {
      await page.goto('/posts?q=x&size=10&page=4')
      const hrefs = await page
        .getByRole('navigation', { name: 'Pagination' })
        .getByRole('link')
        .evaluateAll(hrefsOf)
      expect(hrefs.length).toBeGreaterThan(5)
      for (const href of hrefs) expect(href).toMatch(/^\/posts\?q=x&size=10&page=\d+$/)
      await page.getByRole('link', { name: 'Next' }).click()
      await expect(page).toHaveURL('/posts?q=x&size=10&page=5')
    })

    test('a page past the end leads back to the last one', async ({ page }) => {
      await page.goto('/posts?page=9999')
      await expect(page.locator('[aria-current="page"]').filter({ hasText: /^\d+$/ })).toHaveCount(0)
      await page.getByRole('link', { name: 'Previous' }).click()
      await expect(page).toHaveURL(/\?page=\d{2}$/)
      await expect(page.getByRole('row').nth(1)).toBeVisible()
      await expect(page.getByText('Next', { exact: true })).toHaveAttribute('aria-disabled', 'true')
    })
  })
}

test('the pager works by keyboard, and focus goes to the heading of the new page', async ({ page }) => {
  await page.goto('/posts')
  await page.getByRole('link', { name: 'Next' }).focus()
  for (const number of [2, 3, 4, 5, 6]) {
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { level: 1, name: `Posts, page ${number}` })
    await expect(heading).toBeFocused()
    const next = page.getByRole('link', { name: 'Next' })
    for (let presses = 0; presses < 80 && !(await isFocused(next)); presses++)
      await page.keyboard.press('Tab')
    await expect(next).toBeFocused()
  }
})

test('the last click wins, though an earlier answer comes late', async ({ page }) => {
  await page.goto('/posts')
  await page.route('/posts?page=2', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await route.continue().catch(() => {})
  })
  await page.getByRole('link', { name: 'Page 2', exact: true }).click()
  await page.getByRole('link', { name: 'Page 4', exact: true }).click()
  await expect(page).toHaveTitle('Posts, page 4 · Pergola')
  await page.waitForTimeout(1_500)
  await expect(page).toHaveTitle('Posts, page 4 · Pergola')
  await expect(page).toHaveURL('/posts?page=4')
})

test('paging sends no more than the page: one request each', async ({ page }) => {
  await page.goto('/posts')
  const requests: string[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.getByRole('link', { name: 'Page 2', exact: true }).click()
  await expect(page).toHaveTitle('Posts, page 2 · Pergola')
  // Chromium looks at the icon again, in its cache, whenever the address changes.
  expect(requests.filter((request) => !request.endsWith('favicon.svg'))).toEqual(['GET /posts'])
})

const scrollOf = (page: Page) => page.evaluate(() => Math.round(window.scrollY))
const hrefsOf = (links: Element[]) => links.map((link) => link.getAttribute('href'))
const isFocused = (link: Locator) => link.evaluate((element) => element === document.activeElement)
