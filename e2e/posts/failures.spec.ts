import type { Page, Route } from '@playwright/test'
import { expect, signIn, test, titled } from '../support.ts'

test.describe('a form', () => {
  test.beforeEach(async ({ page }) => {
    await signIn(page, 'bob')
    await page.goto('/account')
    await page.getByLabel('Name').fill('Bob the Gardener')
  })

  test('keeps its input and shows a message if the server fails', async ({ page }) => {
    const broken = await (await page.request.get('/nowhere')).text()
    await page.route('/account', (route) =>
      route.fulfill({ status: 503, contentType: 'text/html', body: broken }),
    )
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'This page doesn’t exist' })).toBeVisible()
    await expect(page.getByLabel('Name')).toHaveValue('Bob the Gardener')
    await expect(page).toHaveURL('/account')
  })

  test('is sent once by a double click', async ({ page }) => {
    const sent: string[] = []
    const clicked = Promise.withResolvers<void>()
    // The server must not store the change, because other tests expect the name Bob.
    await page.route('/account', async (route) => {
      sent.push(route.request().method())
      await clicked.promise
      await route.fulfill({ status: 503, contentType: 'text/html', body: '<p id="problem-text">Later.</p>' })
    })
    await page.getByRole('button', { name: 'Save changes' }).dblclick()
    clicked.resolve()
    await expect(page.getByText('Later.')).toBeVisible()
    expect(sent).toEqual(['POST'])
  })
})

test.describe('a form that is taller than the window', () => {
  test.use({ viewport: { width: 360, height: 400 } })

  const problem = (page: Page) => page.getByRole('alert').filter({ hasText: /./ })
  const submit = (page: Page) => page.getByRole('button', { name: 'Create post' })

  /** Opens the form of a new post, and scrolls to its button. */
  test.beforeEach(async ({ page }) => {
    await signIn(page, 'alice')
    await page.goto('/posts/new')
    await page.getByLabel('Title').fill('Unsaved title')
    await page.getByLabel('Body').fill('Unsaved body')
    await submit(page).scrollIntoViewIfNeeded()
  })

  async function expectKept(page: Page, text: string | RegExp): Promise<void> {
    await expect(problem(page)).toContainText(text)
    await expect(problem(page)).toBeInViewport({ ratio: 0.9 })
    await expect(submit(page)).toBeEnabled()
    await expect(submit(page)).toBeFocused()
    await expect(page.getByLabel('Title')).toHaveValue('Unsaved title')
    await expect(page.getByLabel('Body')).toHaveValue(/Unsaved body/)
    await expect(page).toHaveURL('/posts/new')
  }

  test('focuses the first invalid field', async ({ page }) => {
    await page.getByLabel('Title').fill('')
    await submit(page).click()
    await expect(page.getByLabel('Title')).toBeFocused()
    await expect(page.getByLabel('Title')).toBeInViewport({ ratio: 1 })
    await expect(page.getByLabel('Title')).toHaveAccessibleDescription(/Enter|Use|Required|Write/)
    await expect(page.getByLabel('Body')).toHaveValue('Unsaved body')
  })

  test('shows above its button that its input is too large', async ({ page }) => {
    await page.getByLabel('Body').fill(`Unsaved body${'.'.repeat(300_000)}`)
    await submit(page).click()
    await expectKept(page, 'The request is too large.')
  })

  for (const [name, status, body, text] of [
    [
      'the server is overloaded',
      503,
      '<p id="problem-text">Try again in a moment.</p>',
      'Try again in a moment.',
    ],
    ['a proxy answers', 502, '<h1>Bad Gateway</h1>', 'The request failed (error 502).'],
  ] as const) {
    test(`shows above its button that ${name}, and can be sent again`, async ({ page }) => {
      const failing = (route: Route) => route.fulfill({ status, contentType: 'text/html', body })
      await page.route('/posts', failing)
      await submit(page).click()
      await expectKept(page, text)
      await page.unroute('/posts', failing)
      await submit(page).click()
      await expect(page.getByText('Post created.')).toBeVisible()
    })
  }

  test('shows above its button that the server can’t be reached, until the user dismisses it', async ({
    page,
  }) => {
    await page.route('/posts', (route) => route.abort())
    for (const _attempt of [1, 2]) {
      await submit(page).click()
      await expectKept(page, 'The server can’t be reached.')
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await expect(problem(page)).toHaveCount(0)
    }
    await page.unroute('/posts')
    await submit(page).click()
    await expect(page.getByText('Post created.')).toBeVisible()
  })

  test('is not lost if the session ended while the user typed', async ({ page, context }) => {
    await context.clearCookies({ name: 'sid' })
    await submit(page).click()
    await expectKept(page, 'You are signed out.')
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in (opens a new tab)' }).click()
    const tab = await opened
    await tab.getByRole('button', { name: 'Alice' }).click()
    await expect(tab).toHaveURL('/posts/new')
    await submit(page).click()
    await expect(page.getByText('Post created.')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Unsaved title')
  })
})

test('a link that can’t be followed shows a message, which the user dismisses', async ({ page }) => {
  await page.goto('/posts')
  await page.route('/posts?page=2', (route) => route.abort())
  await page.getByRole('link', { name: 'Page 2', exact: true }).click()
  const message = page.getByRole('status').getByText('The server can’t be reached.')
  await expect(message).toBeInViewport()
  await expect(page).toHaveURL('/posts')
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(message).toBeHidden()
})

for (const key of ['Control', 'Shift'] as const) {
  test(`a click with ${key} opens a link of the pager in a new tab`, async ({ page, context }) => {
    await signIn(page, 'admin')
    await page.goto('/users?size=1')
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Page 2', exact: true }).click({ modifiers: [key] })
    await expect(await opened).toHaveURL('/users?size=1&page=2')
    await expect(page).toHaveURL('/users?size=1')
    // Without the key, the click opens the link in the same tab.
    await page.getByRole('link', { name: 'Page 3', exact: true }).click()
    await expect(page).toHaveTitle(titled('Users, page 3'))
  })
}
