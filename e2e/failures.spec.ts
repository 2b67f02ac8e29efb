import { expect, signIn, test, titled } from './support.ts'

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
    await expect(page.getByRole('alert').filter({ hasText: 'Page not found' })).toBeVisible()
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
