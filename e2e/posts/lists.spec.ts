import type { Locator, Page } from '@playwright/test'
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
  await expect(page).toHaveURL('/posts?sort=title&published=false')
  await expect(page.getByRole('combobox', { name: 'State' })).toHaveValue('false')
  const rows = page.locator('.records tbody tr')
  await expect(rows.filter({ has: page.locator('.badge.warning') })).toHaveCount(await rows.count())
  await page.getByRole('searchbox').fill('a')
  await expect(page).toHaveURL('/posts?sort=title&q=a&published=false')
  await page.getByRole('link', { name: 'Clear' }).click()
  await expect(page).toHaveURL('/posts?sort=title')
  await expect(page.getByRole('link', { name: 'Clear' })).toHaveCount(0)
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('the confirmation of a deletion names the record, and closes without deleting it', async ({
      page,
    }) => {
      await signIn(page, 'alice')
      await page.goto('/posts?published=false')
      // Other tests may have written a post with the same title.
      const row = page.locator('.records tbody tr').first()
      const title = await row.getByRole('link').first().textContent()
      const trigger = row.getByRole('button', { name: `Delete ${title}`, exact: true })
      const dialog = row.getByRole('dialog', { name: `Delete “${title}”?` })
      const cancel = dialog.getByRole('button', { name: 'Cancel' })
      for (const close of [() => page.keyboard.press('Escape'), () => cancel.click()]) {
        await trigger.press('Enter')
        await expect(cancel).toBeFocused()
        await expect(dialog).toContainText('This cannot be undone.')
        await close()
        await expect(dialog).toBeHidden()
        await expect(trigger).toBeFocused()
      }
      await trigger.click()
      await page.mouse.click(5, 5)
      await expect(dialog).toBeHidden()
    })
  })
}

test('an open confirmation doesn’t move to another record when the list changes', async ({ page }) => {
  await signIn(page, 'admin')
  await page.goto('/posts?sort=title')
  const rows = page.locator('.records tbody tr')
  const question = page.getByText('This cannot be undone.').filter({ visible: true })
  await rows
    .first()
    .getByRole('button', { name: /^Delete/ })
    .click()
  await expect(question).toHaveCount(1)
  const [other = ''] = await rows.nth(5).locator('td a').allTextContents()
  await page.getByRole('searchbox').fill(other)
  await expect(rows.first()).toContainText(other)
  await expect(question).toHaveCount(0)
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

const hrefsOf = (links: Locator) => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))

test('the feed on one page has its posts and its place again after a post', async ({ page }) => {
  await page.goto('/feed/scroll?size=5')
  const posts = page.locator('.feed h2 a')
  for (let size = 5; size < 25; size += 5) {
    await page.locator('#feed-more').scrollIntoViewIfNeeded()
    await expect.poll(() => posts.count()).toBeGreaterThan(size)
  }
  const seen = await hrefsOf(posts)
  const post = posts.nth(17)
  await post.click()
  await expect(page).toHaveURL(/\/posts\/\d+$/)
  await page.goBack()
  await expect(page).toHaveURL('/feed/scroll?size=5')
  await expect(post).toBeInViewport()
  const restored = await hrefsOf(posts)
  expect(restored.slice(0, seen.length)).toEqual(seen)
  expect(new Set(restored).size).toBe(restored.length)
  await page.locator('#feed-more').scrollIntoViewIfNeeded()
  await expect.poll(() => posts.count()).toBeGreaterThan(restored.length)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 375, height: 740 } })

  test('shows the sortable headings above the rows, and hides the others', async ({ page }) => {
    await page.goto('/posts')
    const heading = (name: string) => page.getByRole('columnheader', { name })
    await expect(heading('Created')).toHaveAttribute('aria-sort', 'descending')
    await page.getByRole('link', { name: 'Created' }).click()
    await expect(heading('Created')).toHaveAttribute('aria-sort', 'ascending')
    await expect(page.getByRole('link', { name: 'Created' })).toBeInViewport()
    await expect(heading('Author')).toHaveCSS('clip-path', 'inset(50%)')
  })
})

const scrollOf = (page: Page) => page.evaluate(() => Math.round(window.scrollY))

test('on a narrow screen, the pager is one line with the position', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/posts?page=3')
  const pager = page.getByRole('navigation', { name: 'Pagination' })
  await expect(pager.getByRole('link')).toHaveCount(3)
  const position = pager.getByRole('link', { name: 'Page 3' })
  const after = await position.evaluate((link) => getComputedStyle(link, '::after').content)
  expect(after).toMatch(/ \/ .*\d/)
  const bar = await page.locator('.bar', { has: pager }).boundingBox()
  const line = await pager.boundingBox()
  expect(bar?.height).toBe(line?.height)
  await pager.getByRole('link', { name: 'Next' }).click()
  await expect(page).toHaveURL('/posts?page=4')
})
