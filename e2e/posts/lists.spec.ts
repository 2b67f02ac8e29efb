import type { Page } from '@playwright/test'
import { expect, signIn, test, titled } from '../support.ts'
import { writePost } from './support.ts'

// The browser tests of the framework cover paging, sorting, searching and loading more.

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
  await expect(page).toHaveTitle(titled('Posts, page 3'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Posts, page 3')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect.poll(() => scrollOf(page)).toBe(0)
  await expect(pager.locator('[aria-current="page"]')).toHaveText('3')

  await page.goBack()
  await expect(page).toHaveTitle(titled('Posts, page 2'))
  await expect.poll(() => scrollOf(page)).toBe(scrolled)
  await page.goForward()
  await expect(page).toHaveTitle(titled('Posts, page 3'))
})

test('alice filters by drafts, and a guest has no such filter', async ({ page }) => {
  await page.goto('/posts')
  await expect(page.getByRole('combobox', { name: 'State' })).toHaveCount(0)
  await signIn(page, 'alice')
  await page.goto('/posts?sort=title')
  await page.getByRole('combobox', { name: 'State' }).selectOption('Drafts')
  await expect(page).toHaveURL('/posts?sort=title&q=&published=false')
  await expect(page.getByRole('combobox', { name: 'State' })).toHaveValue('false')
  const rows = page.locator('.records tbody tr')
  await expect(rows.filter({ has: page.locator('.badge.warning') })).toHaveCount(await rows.count())
})

test('a post is found as soon as it is written, by any of its words', async ({ page }) => {
  await signIn(page, 'alice')
  const title = `Quincunx ${Date.now()}`
  await writePost(page, { title, published: true })
  await page.goto(`/posts?q=${encodeURIComponent(`written ${title.toUpperCase()}`)}`)
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
})

test('the feed can be read page by page or on one page', async ({ page }) => {
  await page.goto('/feed')
  const posts = page.locator('.feed h2 a')
  const [newest = ''] = await posts.allTextContents()
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page).toHaveTitle(titled('Feed, older posts'))
  await expect(posts).toHaveCount(20)
  await expect(posts.filter({ hasText: newest })).toHaveCount(0)

  await page.getByRole('link', { name: 'All on one page' }).click()
  await expect(page).toHaveURL('/feed/scroll')
  await page.locator('#feed-more').scrollIntoViewIfNeeded()
  await expect.poll(() => posts.count()).toBeGreaterThanOrEqual(40)
  await expect(page.getByRole('status')).toHaveText('20 more items')
  await page.getByRole('link', { name: 'Page by page' }).click()
  await expect(page).toHaveURL('/feed')
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 375, height: 740 } })

  test('shows the sortable headings above the rows, and hides the others', async ({ page }) => {
    await page.goto('/posts')
    const heading = (name: string) => page.getByRole('columnheader', { name })
    await page.getByRole('link', { name: 'Date' }).click()
    await expect(heading('Date')).toHaveAttribute('aria-sort', 'ascending')
    await expect(page.getByRole('link', { name: 'Date' })).toBeInViewport()
    await expect(heading('Author')).toHaveCSS('clip-path', 'inset(50%)')
  })
})

const scrollOf = (page: Page) => page.evaluate(() => Math.round(window.scrollY))
