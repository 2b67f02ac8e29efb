import type { Page } from '@playwright/test'
import { describeBoth, expect, hrefsOf, tabTo, test, titled } from './support.ts'

describeBoth('the pager', (javaScriptEnabled) => {
  test('shows the same page after back, forward and reload', async ({ page }) => {
    await page.goto('/notes?size=100')
    const pager = pagerOf(page)
    await pager.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveURL('/notes?size=100&page=2')
    await expect(page).toHaveTitle(titled('Notes, page 2'))
    await page.mouse.wheel(0, 10_000)
    await expect.poll(() => scrollOf(page)).toBeGreaterThan(0)
    const scrolled = await scrollOf(page)

    await pager.getByRole('link', { name: 'Page 3', exact: true }).click()
    await expect(page).toHaveURL('/notes?size=100&page=3')
    await expect(page).toHaveTitle(titled('Notes, page 3'))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notes, page 3')
    await expect.poll(() => scrollOf(page)).toBe(0)
    await expect(pager.locator('[aria-current="page"]')).toHaveText('3')

    await page.goBack()
    await expect(page).toHaveURL('/notes?size=100&page=2')
    await expect(page).toHaveTitle(titled('Notes, page 2'))
    await expect.poll(() => scrollOf(page)).toBe(scrolled)
    await page.goForward()
    await expect(page).toHaveTitle(titled('Notes, page 3'))
    await page.reload()
    await expect(page).toHaveTitle(titled('Notes, page 3'))
  })

  test('keeps the other parameters in every link', async ({ page }) => {
    await page.goto('/notes?q=note&size=10&page=4')
    const hrefs = await hrefsOf(pagerOf(page).getByRole('link'))
    expect(hrefs.length).toBeGreaterThan(5)
    for (const href of hrefs) expect(href).toMatch(/^\/notes\?q=note&size=10&page=\d+$/)
    await page.getByRole('link', { name: 'Next' }).click()
    await expect(page).toHaveURL('/notes?q=note&size=10&page=5')
  })

  test('links from a page beyond the end to the last page', async ({ page }) => {
    await page.goto('/notes?page=9999')
    await expect(page.locator('[aria-current="page"]').filter({ hasText: /^\d+$/ })).toHaveCount(0)
    await page.getByRole('link', { name: 'Previous' }).click()
    await expect(page).toHaveURL('/notes?page=12')
    await expect(page.getByRole('row')).toHaveCount(21)
    await expect(page.getByText('Next', { exact: true })).toHaveAttribute('aria-disabled', 'true')
  })

  test('works by keyboard for five pages', async ({ page }) => {
    await page.goto('/notes?size=3')
    for (const number of [2, 3, 4, 5, 6]) {
      await tabTo(page, page.getByRole('link', { name: 'Next' }))
      await page.keyboard.press('Enter')
      await expect(page).toHaveTitle(titled(`Notes, page ${number}`))
      // Without JavaScript, focus starts at the top of a new page.
      const heading = page.getByRole('heading', { level: 1, name: `Notes, page ${number}` })
      await expect(javaScriptEnabled ? heading : page.locator('body')).toBeFocused()
    }
  })

  test('changes the size and jumps to a page by keyboard', async ({ page }) => {
    await page.goto('/notes?x=a+b%26c&size=3&page=4&flag')
    await tabTo(page, page.getByLabel('Per page'))
    await page.keyboard.press('1')
    if (!javaScriptEnabled) {
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
    }
    await expect(page).toHaveURL('/notes?x=a+b%26c&flag=&size=10')
    await expect(page.getByRole('row')).toHaveCount(11)
    await expect(page.getByLabel('Per page')).toHaveValue('10')
    if (javaScriptEnabled) await expect(page.getByRole('heading', { level: 1 })).toBeFocused()

    await tabTo(page, page.getByLabel('Go to page'))
    await page.keyboard.type('3')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/notes?x=a+b%26c&flag=&size=10&page=3')
    await expect(page).toHaveTitle(titled('Notes, page 3'))
    if (javaScriptEnabled) await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await page.goBack()
    await expect(page).toHaveTitle(titled('Notes'))
  })

  test('sends no request for a page beyond the end', async ({ page }) => {
    await page.goto('/notes')
    await page.getByLabel('Go to page').fill('99999')
    await page.getByRole('button', { name: 'Go' }).click()
    const valid = await page
      .getByLabel('Go to page')
      .evaluate((input: HTMLInputElement) => input.validity.valid)
    expect(valid).toBe(false)
    await expect(page).toHaveURL('/notes')
  })
})

test.describe('htmx on the pager', () => {
  test('shows the page of the last click if an earlier response is late', async ({ page }) => {
    await page.goto('/notes')
    const late = Promise.withResolvers<void>()
    const cancelled = page.waitForEvent('requestfailed', (request) => request.url().endsWith('page=2'))
    await page.route('/notes?page=2', async (route) => {
      await late.promise
      await route.continue().catch(() => {})
    })
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await page.getByRole('link', { name: 'Page 3', exact: true }).click()
    await expect(page).toHaveTitle(titled('Notes, page 3'))
    await cancelled
    late.resolve()
    // After this request, the late response would have arrived.
    await page.unrouteAll({ behavior: 'wait' })
    await page.evaluate(() => fetch('/notes?page=2'))
    await expect(page).toHaveTitle(titled('Notes, page 3'))
    await expect(page).toHaveURL('/notes?page=3')
  })

  test('sends one request for each page', async ({ page }) => {
    await page.goto('/notes')
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveTitle(titled('Notes, page 2'))
    // Chromium may load the icon again when the URL changes.
    expect(requests.filter((request) => !request.includes('favicon'))).toEqual(['GET /notes'])
  })
})

const pagerOf = (page: Page) => page.getByRole('navigation', { name: 'Pagination' })
const scrollOf = (page: Page) => page.evaluate(() => Math.round(window.scrollY))
