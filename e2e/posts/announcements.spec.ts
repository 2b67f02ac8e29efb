import type { Page } from '@playwright/test'
import { expect, isMarked, mark, signIn, test } from '../support.ts'

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
