import type { Page } from '@playwright/test'
import { expect, signIn, tabTo, test, titled } from '../support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('alice pages through the posts, back and forward', async ({ page }) => {
      await signIn(page, 'alice')
      await page.goto('/posts')
      const pager = page.getByRole('navigation', { name: 'Pagination' })
      await pager.getByRole('link', { name: 'Page 2', exact: true }).click()
      await expect(page).toHaveURL('/posts?page=2')
      await expect(page).toHaveTitle(titled('Posts, page 2'))
      await page.mouse.wheel(0, 10_000)
      await expect.poll(() => scrollOf(page)).toBeGreaterThan(0)
      const scrolled = await scrollOf(page)

      await pager.getByRole('link', { name: 'Page 3', exact: true }).click()
      await expect(page).toHaveURL('/posts?page=3')
      await expect(page).toHaveTitle(titled('Posts, page 3'))
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Posts, page 3')
      await expect.poll(() => scrollOf(page)).toBe(0)
      await expect(pager.locator('[aria-current="page"]')).toHaveText('3')

      await page.goBack()
      await expect(page).toHaveURL('/posts?page=2')
      await expect(page).toHaveTitle(titled('Posts, page 2'))
      await expect.poll(() => scrollOf(page)).toBe(scrolled)
      await page.goForward()
      await expect(page).toHaveTitle(titled('Posts, page 3'))
      await page.reload()
      await expect(page).toHaveTitle(titled('Posts, page 3'))
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

    test('five pages by keyboard', async ({ page }) => {
      await page.goto('/posts?size=3')
      for (const number of [2, 3, 4, 5, 6]) {
        await tabTo(page, page.getByRole('link', { name: 'Next' }))
        await page.keyboard.press('Enter')
        await expect(page).toHaveTitle(titled(`Posts, page ${number}`))
        // Without JavaScript a new page begins at its beginning, as everywhere.
        const start = page.getByRole('heading', { level: 1, name: `Posts, page ${number}` })
        await expect(javaScriptEnabled ? start : page.locator('body')).toBeFocused()
      }
    })

    test('another size and a page by its number, by keyboard', async ({ page }) => {
      await page.goto('/posts?x=a+b%26c&size=3&page=4&flag')
      await tabTo(page, page.getByLabel('Per page'))
      await page.keyboard.press('1')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL('/posts?x=a+b%26c&flag=&size=10')
      await expect(page.getByRole('row')).toHaveCount(11)
      await expect(page.getByLabel('Per page')).toHaveValue('10')
      if (javaScriptEnabled) await expect(page.getByRole('heading', { level: 1 })).toBeFocused()

      await tabTo(page, page.getByLabel('Go to page'))
      await page.keyboard.type('3')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL('/posts?x=a+b%26c&flag=&size=10&page=3')
      await expect(page).toHaveTitle(titled('Posts, page 3'))
      if (javaScriptEnabled) await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      await page.goBack()
      await expect(page).toHaveTitle(titled('Posts'))
    })

    test('a page that is none is not asked for', async ({ page }) => {
      await page.goto('/posts')
      await page.getByLabel('Go to page').fill('99999')
      await page.getByRole('button', { name: 'Go' }).click()
      const valid = await page
        .getByLabel('Go to page')
        .evaluate((input: HTMLInputElement) => input.validity.valid)
      expect(valid).toBe(false)
      await expect(page).toHaveURL('/posts')
    })
  })
}

test('the last click wins, though an earlier answer comes late', async ({ page }) => {
  await page.goto('/posts')
  await page.route('/posts?page=2', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await route.continue().catch(() => {})
  })
  await page.getByRole('link', { name: 'Page 2', exact: true }).click()
  await page.getByRole('link', { name: 'Page 4', exact: true }).click()
  await expect(page).toHaveTitle(titled('Posts, page 4'))
  await page.waitForTimeout(1_500)
  await expect(page).toHaveTitle(titled('Posts, page 4'))
  await expect(page).toHaveURL('/posts?page=4')
})

test('paging sends no more than the page: one request each', async ({ page }) => {
  await page.goto('/posts')
  const requests: string[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.getByRole('link', { name: 'Page 2', exact: true }).click()
  await expect(page).toHaveTitle(titled('Posts, page 2'))
  // Chromium looks at the icon again, in its cache, whenever the address changes.
  expect(requests.filter((request) => !request.endsWith('favicon.svg'))).toEqual(['GET /posts'])
})

const scrollOf = (page: Page) => page.evaluate(() => Math.round(window.scrollY))
const hrefsOf = (links: Element[]) => links.map((link) => link.getAttribute('href'))
