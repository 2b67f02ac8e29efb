import type { Page } from '@playwright/test'
import { expect, isMarked, mark, signIn, test } from './support.ts'

test.describe('the status region', () => {
  test('remains during swaps of the whole page, so that screen readers announce each page', async ({
    page,
  }) => {
    await page.goto('/notes')
    await mark(page)
    await recordStatus(page)
    await page.getByRole('link', { name: 'Next' }).click()
    await expect(page.getByRole('status')).toHaveText('Page 2 of 12, items 21–40 of 240')
    await page.getByRole('link', { name: 'Next' }).click()
    await expect(page.getByRole('status')).toHaveText(/^Page 3 of /)
    await page.goBack()
    await expect(page.getByRole('status')).toHaveText(/^Page 2 of /)
    expect(await isMarked(page)).toEqual({ header: false, status: true })
    // Screen readers announce a text only if its region existed before.
    expect(await recordedStatus(page)).toEqual(['Page 2', 'Page 3', 'Page 2'])
    await expect(page.locator('[role="status"]')).toHaveCount(1)
  })

  test('is empty on a page without an announcement', async ({ page }) => {
    await signIn(page, 'alice')
    await page.goto('/notes?page=2')
    await expect(page.getByRole('status')).toHaveText(/^Page 2/)
    await page.goto('/notes/new')
    await page.getByRole('button', { name: 'Create note' }).click()
    await expect(page.getByLabel('Title')).toHaveAttribute('aria-invalid', 'true')
    await expect(page.getByRole('status')).toHaveText('')
  })
})

const recordStatus = (page: Page) =>
  page.evaluate(() => {
    const texts: string[] = []
    const status = document.querySelector('#status')
    Object.assign(window, { texts })
    new MutationObserver(() => {
      const text = status?.textContent.trim().split(' of ')[0]
      if (status?.isConnected && text) texts.push(text)
    }).observe(status as Element, { childList: true, subtree: true })
  })

const recordedStatus = (page: Page) => page.evaluate(() => (window as unknown as { texts: string[] }).texts)
