import type { Page } from '@playwright/test'
import { describeBoth, expect, hrefsOf, tabTo, test } from './support.ts'

describeBoth('the cursor pager', (javaScriptEnabled) => {
  test('works by keyboard, five pages forward and back again', async ({ page }) => {
    await page.goto('/feed?size=2')
    await expect(page.getByText('Previous', { exact: true })).toHaveAttribute('aria-disabled', 'true')
    const pages = [await notesOf(page)]
    for (let step = 1; step <= 5; step++) {
      await follow(page, 'Next', javaScriptEnabled)
      pages.push(await notesOf(page))
    }
    expect(pages.flat()).toEqual(Array.from({ length: 12 }, (_, index) => `/notes/${240 - index}`))
    for (let step = 4; step >= 0; step--) {
      await follow(page, 'Previous', javaScriptEnabled)
      expect(await notesOf(page)).toEqual(pages[step])
    }
    await page.goBack()
    await expect.poll(() => notesOf(page)).toEqual(pages[1])
    await page.reload()
    expect(await notesOf(page)).toEqual(pages[1])
  })
})

test('the cursor pager ends on the last page', async ({ page }) => {
  await page.goto('/feed?size=100')
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.locator('.feed h2 a').first()).toHaveAttribute('href', '/notes/140')
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.locator('.feed h2 a').last()).toHaveAttribute('href', '/notes/1')
  await expect(page.getByText('Next', { exact: true })).toHaveAttribute('aria-disabled', 'true')
})

test('the cursor pager has no page numbers', async ({ page }) => {
  await page.goto('/feed?page=3&size=5')
  const pager = page.getByRole('navigation', { name: 'Pagination' })
  await expect(pager.getByRole('listitem')).toHaveText(['Previous', 'Next'])
  await expect(pager.getByRole('link', { name: 'Next' })).toHaveAttribute(
    'href',
    /^\/feed\?size=5&cursor=[^&]+$/,
  )
})

async function follow(page: Page, name: 'Next' | 'Previous', javaScriptEnabled: boolean): Promise<void> {
  const before = page.url()
  await tabTo(page, page.getByRole('navigation', { name: 'Pagination' }).getByRole('link', { name }))
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).not.toBe(before)
  await page.waitForLoadState()
  if (javaScriptEnabled) await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
}

const notesOf = (page: Page) => hrefsOf(page.locator('.feed h2 a'))
