import type { Page } from '@playwright/test'
import { expect, holdAutomaticLoads, signIn, test, writePost } from './support.ts'

const REASON = 'The gardener is away.'
const failing = `<!doctype html><html><head><title>Error</title></head><body><main><h1 tabindex="-1" autofocus>It broke</h1>
  <p id="problem-text">${REASON}</p></main></body></html>`

/** Answers the next request for such an address with this status; those after it reach the server. */
const failOnce = (page: Page, url: RegExp, status: number) =>
  page.route(url, (route) => route.fulfill({ status, contentType: 'text/html', body: failing }), { times: 1 })

test.describe('where a part of a page is swapped', () => {
  for (const status of [400, 403, 404, 429, 500, 503]) {
    test(`an answer of ${status} is shown whole, not as an empty list`, async ({ page }) => {
      await signIn(page, 'admin')
      await page.goto('/users?size=1')
      await failOnce(page, /sort=name/, status)
      await page.getByRole('link', { name: 'Name' }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('It broke')
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      await page.goBack()
      await expect(page.getByRole('row')).not.toHaveCount(0)
    })
  }
})

test('a list that can load no more says why, keeps what it has, and loads on when asked again', async ({
  page,
}) => {
  await failOnce(page, /cursor=/, 503)
  await holdAutomaticLoads(page)
  await page.goto('/feed/scroll?size=5')
  const titles = page.locator('ol.feed h2 a')
  await page.getByRole('link', { name: 'Load more' }).click()
  await expect(page.getByRole('alert')).toHaveText(REASON)
  await expect(titles).toHaveCount(5)
  await page.getByRole('link', { name: 'Load more' }).click()
  await expect.poll(() => titles.count()).toBeGreaterThan(5)
  await expect(page.getByRole('alert').filter({ hasText: REASON })).toHaveCount(0)
})

test('a form about a record that is gone keeps what was typed, and says so', async ({ page }) => {
  await signIn(page, 'alice')
  const id = await writePost(page, { title: 'Soon gone', published: true })
  await page.goto(`/posts/${id}/edit`)
  await page.getByLabel('Body').fill('An hour of work')
  expect((await page.request.delete(`/api/posts/${id}`)).status()).toBe(204)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByRole('alert')).not.toBeEmpty()
  await expect(page.getByLabel('Body')).toHaveValue('An hour of work')
  await expect(page).toHaveURL(`/posts/${id}/edit`)
})

for (const key of ['Control', 'Shift'] as const) {
  test(`a click with ${key} opens a link of the pager elsewhere`, async ({ page, context }) => {
    await page.goto('/posts')
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Page 2', exact: true }).click({ modifiers: [key] })
    await expect(await opened).toHaveURL('/posts?page=2')
    await expect(page).toHaveURL('/posts')
    // And without it nothing is different.
    await page.getByRole('link', { name: 'Page 3', exact: true }).click()
    await expect(page).toHaveTitle('Posts, page 3 · Pergola')
  })
}
