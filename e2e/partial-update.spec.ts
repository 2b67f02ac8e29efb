import type { Page } from '@playwright/test'
import { expect, isMarked, mark, signIn, test, titled } from './support.ts'

test.describe('the users, with a swap of the list only', () => {
  test.beforeEach(async ({ page }) => {
    await signIn(page, 'admin')
    await page.goto('/users?size=1')
    await mark(page)
  })

  test('a link changes only the list, the title and the URL', async ({ page }) => {
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveURL('/users?size=1&page=2')
    await expect(page).toHaveTitle(titled('Users, page 2'))
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Users, page 2')
    await expect(page.getByRole('status')).toHaveText(/^Page 2 of \d+, item 2 of \d+$/)
    expect(await isMarked(page)).toEqual({ header: true, status: true })
    await expectOnePage(page)
  })

  test('back, forward and reload show whole pages', async ({ page }) => {
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveTitle(titled('Users, page 2'))
    await page.getByRole('link', { name: 'Next' }).click()
    await expect(page).toHaveTitle(titled('Users, page 3'))
    await page.goBack()
    await expect(page).toHaveTitle(titled('Users, page 2'))
    await expect(page.getByRole('status')).toHaveText(/^Page 2 /)
    await expectOnePage(page)
    await page.goForward()
    await expect(page).toHaveTitle(titled('Users, page 3'))
    await expectOnePage(page)
    await page.reload()
    await expect(page).toHaveTitle(titled('Users, page 3'))
    await expectOnePage(page)
  })
})

async function expectOnePage(page: Page): Promise<void> {
  for (const selector of ['body > header', 'main', '#users', 'h1', 'body > footer', 'table'])
    await expect(page.locator(selector)).toHaveCount(1)
}
