import type { Page } from '@playwright/test'
import { expect, signIn, test } from './support.ts'

test.describe('the users, of which only the list is swapped', () => {
  test.beforeEach(async ({ page }) => {
    await signIn(page, 'admin')
    await page.goto('/users?size=1')
    await mark(page)
  })

  test('a link changes the list, the title and the address, and leaves the rest alone', async ({ page }) => {
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveURL('/users?size=1&page=2')
    await expect(page).toHaveTitle('Users, page 2 · Pergola')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Users, page 2')
    await expect(page.getByRole('status')).toHaveText(/^Page 2 of \d+, item 2 of \d+$/)
    expect(await isMarked(page)).toEqual({ header: true, status: true })
    await expectOnePage(page)
  })

  test('back, forward and reload show whole pages', async ({ page }) => {
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveTitle('Users, page 2 · Pergola')
    await page.getByRole('link', { name: 'Next' }).click()
    await expect(page).toHaveTitle('Users, page 3 · Pergola')
    await page.goBack()
    await expect(page).toHaveTitle('Users, page 2 · Pergola')
    await expect(page.getByRole('status')).toHaveText(/^Page 2 /)
    await expectOnePage(page)
    await page.goForward()
    await expect(page).toHaveTitle('Users, page 3 · Pergola')
    await expectOnePage(page)
    await page.reload()
    await expect(page).toHaveTitle('Users, page 3 · Pergola')
    await expectOnePage(page)
  })

  test('coming back from elsewhere shows the whole page', async ({ page }) => {
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    await expect(page).toHaveTitle('Users, page 2 · Pergola')
    await page.getByRole('link', { name: 'Posts', exact: true }).first().click()
    await expect(page).toHaveTitle('Posts · Pergola')
    await page.goBack()
    await expect(page).toHaveTitle('Users, page 2 · Pergola')
    await expectOnePage(page)
  })

  test('the size form changes the list too', async ({ page }) => {
    await page.getByLabel('Per page').selectOption('10')
    await page.getByRole('button', { name: 'Show' }).click()
    await expect(page).toHaveURL('/users?size=10')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    expect(await isMarked(page)).toEqual({ header: true, status: true })
    await expectOnePage(page)
  })
})

test('the region that announces a page outlives a swap of the whole page', async ({ page }) => {
  await page.goto('/posts')
  await mark(page)
  await recordStatus(page)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByRole('status')).toHaveText(/^Page 2 of \d+, items 21–40 of \d+$/)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByRole('status')).toHaveText(/^Page 3 of /)
  await page.goBack()
  await expect(page.getByRole('status')).toHaveText(/^Page 2 of /)
  expect(await isMarked(page)).toEqual({ header: false, status: true })
  // Each text came into the region while the region was on the page: that is what is read out.
  expect(await recordedStatus(page)).toEqual(['Page 2', 'Page 3', 'Page 2'])
  await expect(page.locator('[role="status"]')).toHaveCount(1)
})

test('a page that has nothing to announce takes the last announcement away', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto('/posts?page=2')
  await expect(page.getByRole('status')).toHaveText(/^Page 2/)
  await page.goto('/posts/new')
  await page.getByRole('button', { name: 'Create post' }).click()
  await expect(page.getByLabel('Title')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('status')).toHaveText('')
})

/** Marks elements as JavaScript knows them: a replaced one has lost its mark. */
const mark = (page: Page) =>
  page.evaluate(() => {
    for (const selector of ['body > header', '#status'])
      Object.assign(document.querySelector(selector) ?? {}, { isMarked: true })
  })

const isMarked = (page: Page) =>
  page.evaluate(() => {
    const has = (selector: string) => 'isMarked' in (document.querySelector(selector) ?? {})
    return { header: has('body > header'), status: has('#status') }
  })

const recordStatus = (page: Page) =>
  page.evaluate(() => {
    const said: string[] = []
    const status = document.querySelector('#status')
    Object.assign(window, { said })
    new MutationObserver(() => {
      const text = status?.textContent.trim().split(' of ')[0]
      if (status?.isConnected && text) said.push(text)
    }).observe(status as Element, { childList: true, subtree: true })
  })

const recordedStatus = (page: Page) => page.evaluate(() => (window as unknown as { said: string[] }).said)

async function expectOnePage(page: Page): Promise<void> {
  for (const selector of ['body > header', 'main', '#users', 'h1', 'body > footer', 'table'])
    await expect(page.locator(selector)).toHaveCount(1)
}
