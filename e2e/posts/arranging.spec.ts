import type { Page } from '@playwright/test'
import { expect, signIn, test } from '../support.ts'
import { writePost } from './support.ts'

const titlesOf = (page: Page) => page.locator('.records td:first-child a').allTextContents()
/** As the database sorts them, whatever its alphabet is. */
async function titlesInOrder(page: Page, dir: string): Promise<string[]> {
  const answer = await page.request.get(`/api/posts?sort=title&dir=${dir}&size=10`)
  return ((await answer.json()) as { content: { title: string }[] }).content.map(({ title }) => title)
}

const heading = (page: Page, name: string) => page.getByRole('columnheader', { name })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a heading sorts by its column, and the other way round when it is clicked again', async ({
      page,
    }) => {
      await page.goto('/posts?size=10&page=3')
      await page.getByRole('link', { name: 'Title' }).click()
      await expect(page).toHaveURL('/posts?size=10&sort=title&dir=asc')
      await expect(heading(page, 'Title')).toHaveAttribute('aria-sort', 'ascending')
      expect(await titlesOf(page)).toEqual(await titlesInOrder(page, 'asc'))
      await page.getByRole('link', { name: 'Title' }).click()
      await expect(heading(page, 'Title')).toHaveAttribute('aria-sort', 'descending')
      await expect(page).toHaveURL('/posts?size=10&sort=title&dir=desc')
      expect(await titlesOf(page)).toEqual(await titlesInOrder(page, 'desc'))
      await page.getByRole('link', { name: 'Next' }).click()
      await expect(page).toHaveURL('/posts?size=10&sort=title&dir=desc&page=2')
      await expect(heading(page, 'Title')).toHaveAttribute('aria-sort', 'descending')
      await page.goBack()
      await page.goBack()
      await expect(heading(page, 'Title')).toHaveAttribute('aria-sort', 'ascending')
    })

    test('a search keeps order and size, begins at the first page, and leads back', async ({ page }) => {
      await page.goto('/posts?sort=title&dir=desc&size=10&page=4')
      const field = page.getByRole('searchbox', { name: 'Search posts' })
      await field.fill('clematis WALL')
      await field.press('Enter')
      await expect(page).toHaveURL('/posts?sort=title&dir=desc&size=10&q=clematis+WALL')
      await expect(field).toHaveValue('clematis WALL')
      await expect(page.locator('.bar .meta')).toHaveText(/ of \d+$/)
      const found = await titlesOf(page)
      expect(found.filter((title) => !/clematis/.test(title) || !/wall/.test(title))).toEqual([])

      await field.fill('<nothing> like this')
      await page.getByRole('button', { name: 'Search' }).click()
      await expect(page.getByText('Nothing found for “<nothing> like this”.')).toBeVisible()
      await page.getByRole('link', { name: 'Show all posts' }).click()
      await expect(page).toHaveURL('/posts?sort=title&dir=desc&size=10')
      await expect(field).toHaveValue('')
      await expect(page.getByRole('row').nth(10)).toBeVisible()
    })

    test('alice finds her drafts, which a guest is not asked about', async ({ page }) => {
      await page.goto('/posts')
      await expect(page.getByRole('combobox', { name: 'State' })).toHaveCount(0)
      await signIn(page, 'alice')
      await page.goto('/posts?sort=title')
      await page.getByRole('combobox', { name: 'State' }).selectOption('Drafts')
      await page.getByRole('button', { name: 'Search' }).click()
      await expect(page).toHaveURL('/posts?sort=title&q=&published=false')
      await expect(page.getByRole('combobox', { name: 'State' })).toHaveValue('false')
      const rows = page.locator('.records tbody tr')
      await expect(rows.filter({ has: page.locator('.badge.draft') })).toHaveCount(await rows.count())
    })
  })
}

test('sorting and searching work by keyboard, and focus goes to the heading of what came in', async ({
  page,
}) => {
  await page.goto('/posts')
  const title = page.getByRole('heading', { level: 1 })
  const field = page.getByRole('searchbox', { name: 'Search posts' })
  await field.focus()
  await page.keyboard.type('clematis')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/posts?q=clematis')
  await expect(title).toBeFocused()
  // The skip link is behind: field, button, heading.
  for (const stop of [
    field,
    page.getByRole('button', { name: 'Search' }),
    page.getByRole('link', { name: 'Title' }),
  ]) {
    await page.keyboard.press('Tab')
    await expect(stop).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/posts?q=clematis&sort=title&dir=asc')
  await expect(title).toBeFocused()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 375, height: 740 } })

  test('the headings that sort stand above the rows, and the others don’t', async ({ page }) => {
    await page.goto('/posts')
    await page.getByRole('link', { name: 'Date' }).click()
    await expect(heading(page, 'Date')).toHaveAttribute('aria-sort', 'ascending')
    await expect(page.getByRole('link', { name: 'Date' })).toBeInViewport()
    await expect(heading(page, 'Author')).toHaveCSS('clip-path', 'inset(50%)')
  })
})

test('a post is found as soon as it is written, by any of its words', async ({ page }) => {
  await signIn(page, 'alice')
  const title = `Quincunx ${Date.now()}`
  await writePost(page, { title, published: true })
  await page.goto(`/posts?q=${encodeURIComponent(`written ${title.toUpperCase()}`)}`)
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
})
