import type { Page } from '@playwright/test'
import { expect, failOnce, isMarked, mark, signIn, test, titled } from './support.ts'

test.describe('a swap of one list of a page', () => {
  test.beforeEach(async ({ page }) => {
    await signIn(page, 'admin')
    await page.goto('/users?size=1')
    await mark(page)
  })

  test('changes only the list, the title, the URL and the announcement', async ({ page }) => {
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveURL('/users?size=1&page=2')
    await expect(page).toHaveTitle(titled('Users, page 2'))
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Users, page 2')
    await expect(page.getByRole('status')).toHaveText('Page 2 of 12, item 2 of 12')
    expect(await isMarked(page)).toEqual({ header: true, status: true })
    await expectOnePage(page)
  })

  test('shows whole pages after back, forward and reload', async ({ page }) => {
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

  test('shows a whole page after going back from another page', async ({ page }) => {
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveTitle(titled('Users, page 2'))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Notes' }).click()
    await expect(page).toHaveURL('/notes')
    await page.goBack()
    await expect(page).toHaveTitle(titled('Users, page 2'))
    await expectOnePage(page)
  })

  test('works with the size form', async ({ page }) => {
    await page.getByLabel('Per page').selectOption('10')
    await expect(page).toHaveURL('/users?size=10')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    expect(await isMarked(page)).toEqual({ header: true, status: true })
    await expectOnePage(page)
  })

  test('works with the search form', async ({ page }) => {
    await page.getByRole('searchbox', { name: 'Search users' }).fill('ALICE')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(page).toHaveURL('/users?size=1&q=ALICE')
    await expect(page.locator('#users li a[href$="/edit"]')).toHaveText(['Alice'])
    expect(await isMarked(page)).toEqual({ header: true, status: true })
    await expectOnePage(page)
  })

  for (const status of [400, 403, 404, 429, 500, 503]) {
    test(`shows the whole error page after a ${status}, instead of an empty list`, async ({ page }) => {
      await failOnce(page, /page=2/, status)
      await page.getByRole('link', { name: 'Page 2', exact: true }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('It broke')
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      await page.goBack()
      await expect(page.locator('#users li a[href$="/edit"]')).toHaveCount(1)
    })
  }
})

test.describe('a swap of one of two lists of a page', () => {
  const list = (page: Page, name: string) => page.locator(`#${name}`)
  const follow = (page: Page, name: string, link: string) =>
    list(page, name).getByRole('link', { name: link, exact: true }).click()
  const expectCurrent = async (page: Page, pages: { left: number; right: number }) => {
    for (const [name, number] of Object.entries(pages))
      await expect(list(page, name).locator('[aria-current=page]')).toHaveText(String(number))
  }

  test('keeps the page and the search of the other list, in its links, the URL and the history', async ({
    page,
  }) => {
    await page.goto('/pair?left_size=5&right_size=5')
    await mark(page)
    await follow(page, 'left', 'Page 2')
    await expectCurrent(page, { left: 2, right: 1 })
    await follow(page, 'right', 'Page 3')
    await expect(page).toHaveURL('/pair?left_size=5&right_size=5&left_page=2&right_page=3')
    await expectCurrent(page, { left: 2, right: 3 })
    await page.getByRole('searchbox', { name: 'Search left' }).fill('door')
    await expect(page).toHaveURL(/left_q=door/)
    await expectCurrent(page, { left: 1, right: 3 })
    await follow(page, 'right', 'Page 2')
    await expect(page).toHaveURL(/right_page=2/)
    await expect(page).toHaveURL(/left_q=door/)
    await expect(page.getByRole('searchbox', { name: 'Search left' })).toHaveValue('door')
    expect((await isMarked(page)).header).toBe(true)
    await page.goBack()
    await expectCurrent(page, { left: 1, right: 3 })
    await page.goBack()
    await expectCurrent(page, { left: 2, right: 3 })
    await page.goBack()
    await expectCurrent(page, { left: 2, right: 1 })
  })
})

async function expectOnePage(page: Page): Promise<void> {
  for (const selector of ['body > header', 'main', '#users', 'h1', '#status', 'nav.pager'])
    await expect(page.locator(selector)).toHaveCount(1)
}
