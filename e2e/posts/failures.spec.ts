import type { Page } from '@playwright/test'
import { expect, signIn, test } from '../support.ts'
import { holdAutomaticLoads, writePost } from './support.ts'

const REASON = 'The gardener is away.'
const failing = `<!doctype html><html><head><title>Error</title></head><body><main><h1 tabindex="-1" autofocus>It broke</h1>
  <p id="problem-text">${REASON}</p></main></body></html>`

/** Answers the next request for such an address with this status; those after it reach the server. */
const failOnce = (page: Page, url: RegExp, status: number) =>
  page.route(url, (route) => route.fulfill({ status, contentType: 'text/html', body: failing }), { times: 1 })

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
