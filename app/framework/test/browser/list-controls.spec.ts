import type { Page } from '@playwright/test'
import { NOTES, noteTitle } from './data.ts'
import { describeBoth, expect, signIn, test } from './support.ts'

const titlesOf = (page: Page) => page.locator('tbody td:first-child a').allTextContents()
const columnHeading = (page: Page, name: string) => page.getByRole('columnheader', { name })
const tenFrom = (first: number, step: 1 | -1) =>
  Array.from({ length: 10 }, (_, index) => noteTitle(first + step * index))

describeBoth('the list controls', () => {
  test('sort by a heading, and in reverse after a second click', async ({ page }) => {
    await page.goto('/notes?size=10&page=3')
    await page.getByRole('link', { name: 'Title' }).click()
    await expect(page).toHaveURL('/notes?size=10&sort=title&dir=asc')
    await expect(columnHeading(page, 'Title')).toHaveAttribute('aria-sort', 'ascending')
    expect(await titlesOf(page)).toEqual(tenFrom(1, 1))
    await page.getByRole('link', { name: 'Title' }).click()
    await expect(columnHeading(page, 'Title')).toHaveAttribute('aria-sort', 'descending')
    await expect(page).toHaveURL('/notes?size=10&sort=title&dir=desc')
    expect(await titlesOf(page)).toEqual(tenFrom(NOTES, -1))
    await page.getByRole('link', { name: 'Next' }).click()
    await expect(page).toHaveURL('/notes?size=10&sort=title&dir=desc&page=2')
    await expect(columnHeading(page, 'Title')).toHaveAttribute('aria-sort', 'descending')
    await page.goBack()
    await page.goBack()
    await expect(columnHeading(page, 'Title')).toHaveAttribute('aria-sort', 'ascending')
  })

  test('search from the first page with the same order and size, and remove the search', async ({ page }) => {
    await page.goto('/notes?sort=title&dir=desc&size=10&page=4')
    const field = page.getByRole('searchbox', { name: 'Search notes' })
    await field.fill('green DOOR')
    await field.press('Enter')
    await expect(page).toHaveURL('/notes?sort=title&dir=desc&size=10&q=green+DOOR')
    await expect(field).toHaveValue('green DOOR')
    await expect(page.locator('p.meta')).toHaveText('1–10 of 20')
    const expected = Array.from({ length: 10 }, (_, index) => noteTitle(NOTES - 12 * index))
    expect(await titlesOf(page)).toEqual(expected)

    await field.fill('<nothing> like this')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(page.getByText('No notes here.')).toBeVisible()
    await expect(field).toHaveValue('<nothing> like this')
    await page.getByRole('link', { name: 'Show all notes' }).click()
    await expect(page).toHaveURL('/notes?sort=title&dir=desc&size=10')
    await expect(field).toHaveValue('')
    await expect(page.getByRole('row')).toHaveCount(11)
  })

  test('filter by a selected value, and keep the order', async ({ page }) => {
    await signIn(page, 'alice')
    await page.goto('/notes?sort=title')
    const state = page.getByRole('combobox', { name: 'State' })
    await state.selectOption('Published')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect(page).toHaveURL('/notes?sort=title&q=&published=true')
    await expect(state).toHaveValue('true')
    await expect(page.locator('p.meta')).toHaveText(`1–20 of ${NOTES}`)
  })
})

test('a filter with several values stays open while the list changes', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto('/notes?sort=title')
  const filter = page.locator('details').filter({ hasText: 'Title' })
  const choice = (name: string) => filter.getByRole('checkbox', { name })
  await filter.locator('summary').click()
  await choice('Second').check()
  await expect(page).toHaveURL('/notes?sort=title&q=&published=&title=Note+002')
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(choice('Second')).toBeFocused()
  await choice('First').check()
  await expect(page).toHaveURL('/notes?sort=title&q=&published=&title=Note+001&title=Note+002')
  await expect(page.getByRole('row')).toHaveCount(3)
  await expect(filter.locator('summary')).toHaveText('Title: First, Second')
  await expect(choice('First')).toBeVisible()
  // A search keeps the filter as the user closed it.
  await filter.locator('summary').click()
  await page.getByRole('searchbox').fill('002')
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(choice('First')).toBeHidden()
})

test('the list controls work by keyboard: the search field keeps the focus, a sort link passes it to the heading', async ({
  page,
}) => {
  await page.goto('/notes')
  const heading = page.getByRole('heading', { level: 1 })
  const field = page.getByRole('searchbox', { name: 'Search notes' })
  await field.focus()
  await page.keyboard.type('door')
  await expect(page).toHaveURL('/notes?q=door')
  await expect(field).toBeFocused()
  for (const stop of [
    page.getByRole('button', { name: 'Search' }),
    page.getByRole('link', { name: 'Title' }),
  ]) {
    await page.keyboard.press('Tab')
    await expect(stop).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/notes?q=door&sort=title&dir=asc')
  await expect(heading).toBeFocused()
})

test('a search adds one entry to the history, after the page that it began on', async ({ page }) => {
  await page.goto('/notes?page=3')
  const field = page.getByRole('searchbox', { name: 'Search notes' })
  for (const text of ['do', 'door', 'green']) {
    await field.fill(text)
    await expect(page).toHaveURL(`/notes?q=${text}`)
  }
  await page.getByRole('link', { name: 'Page 2', exact: true }).click()
  await expect(page).toHaveURL('/notes?q=green&page=2')
  await field.fill('green door')
  await expect(page).toHaveURL('/notes?q=green+door')
  await page.goBack()
  await expect(page).toHaveURL('/notes?q=green&page=2')
  await expect(field).toHaveValue('green')
  await page.goBack()
  await expect(page).toHaveURL('/notes?q=green')
  await page.goBack()
  await expect(page).toHaveURL('/notes?page=3')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notes, page 3')
  await expect(field).toHaveValue('')
})
