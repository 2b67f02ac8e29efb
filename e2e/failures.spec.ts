import type { Page } from '@playwright/test'
import { expect, signIn, test, titled } from './support.ts'

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

for (const key of ['Control', 'Shift'] as const) {
  test(`a click with ${key} opens a link of the pager elsewhere`, async ({ page, context }) => {
    await signIn(page, 'admin')
    await page.goto('/users?size=1')
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Page 2', exact: true }).click({ modifiers: [key] })
    await expect(await opened).toHaveURL('/users?size=1&page=2')
    await expect(page).toHaveURL('/users?size=1')
    // And without it nothing is different.
    await page.getByRole('link', { name: 'Page 3', exact: true }).click()
    await expect(page).toHaveTitle(titled('Users, page 3'))
  })
}
