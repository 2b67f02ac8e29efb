import { describeBoth, expect, signIn, test } from './support.ts'

describeBoth('a form', (javaScriptEnabled) => {
  test('creates, changes and deletes a record', async ({ page }) => {
    await signIn(page, 'alice')
    await page.goto('/notes/new')
    // Neither first nor last in the lists of other tests, which run at the same time.
    const title = `Note 100, ${javaScriptEnabled}`
    await page.getByLabel('Title').fill(title)
    await page.getByLabel('Body').fill('Text')
    await page.getByLabel('Published').check()
    await page.getByRole('button', { name: 'Create note' }).click()
    await expect(page.getByRole('status')).toContainText('Note created.')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
    await expect(page).toHaveURL(/\/notes\/\d+$/)
    await expect(page.getByRole('main')).not.toContainText('Draft')

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Title').fill('Second')
    await page.getByLabel('Published').uncheck()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(page.getByRole('status')).toContainText('Note updated.')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second')
    await expect(page.getByRole('main')).toContainText('Draft')

    const address = page.url()
    await page.getByRole('button', { name: 'Delete' }).click()
    await expect(page).toHaveURL('/notes')
    await expect(page.getByRole('status')).toContainText('Note deleted.')
    expect((await page.goto(address))?.status()).toBe(404)
  })

  test('is shown again with its errors and its input, and can be sent again', async ({ page }) => {
    await signIn(page, 'alice')
    await page.goto('/notes/new')
    await page.getByLabel('Body').fill('Kept')
    await page.getByRole('button', { name: 'Create note' }).click()
    const title = page.getByLabel('Title')
    await expect(page).toHaveTitle(/^Error: /)
    await expect(title).toHaveAttribute('aria-invalid', 'true')
    await expect(title).toHaveAccessibleDescription(/Enter a value\./)
    await expect(page.getByLabel('Body')).toHaveValue('Kept')
    await expect(title).toBeFocused()
    await title.fill('Better')
    await page.getByRole('button', { name: 'Create note' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Better')
  })

  test('stores one record if it is sent again because its answer was lost', async ({ page }) => {
    const title = `Sent twice, ${javaScriptEnabled}`
    await signIn(page, 'alice')
    await page.goto('/notes/new')
    await page.getByLabel('Title').fill(title)
    await page.getByLabel('Body').fill('Text')
    const answered = Promise.withResolvers<number>()
    await page.route(
      '/notes',
      async (route) => {
        answered.resolve((await route.fetch({ maxRedirects: 0 })).status())
        // htmx logs a lost answer as an error, so that it gets one of a proxy.
        await (javaScriptEnabled
          ? route.fulfill({ status: 503, contentType: 'text/html', body: '<p id="problem-text">Lost</p>' })
          : route.abort('aborted'))
      },
      { times: 1 },
    )
    const button = page.getByRole('button', { name: 'Create note' })
    // The navigation doesn't happen, so the click must not wait for it.
    await button.click({ noWaitAfter: true })
    expect(await answered.promise).toBe(303)
    await button.click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
    await expect(page).toHaveURL(/\/notes\/\d+$/)
    await page.goto(`/notes?q=${encodeURIComponent(title)}&published=false`)
    await expect(page.getByRole('link', { name: title, exact: true })).toHaveCount(1)
  })

  test('stores a record of its own if it was edited after going back', async ({ page }) => {
    const title = `Edited, ${javaScriptEnabled}`
    await signIn(page, 'alice')
    await page.goto('/notes/new')
    for (const body of ['First', 'Second']) {
      await page.getByLabel('Title').fill(title)
      await page.getByLabel('Body').fill(body)
      await page.getByRole('button', { name: 'Create note' }).click()
      await expect(page.getByRole('main')).toContainText(body)
      await page.goBack()
    }
    await page.goto(`/notes?q=${encodeURIComponent(title)}&published=false`)
    await expect(page.getByRole('link', { name: title, exact: true })).toHaveCount(2)
  })
})

test.describe('a form that htmx sends', () => {
  test.beforeEach(async ({ page }) => {
    await signIn(page, 'alice')
    await page.goto('/notes/new')
  })

  test('keeps the URL if the input is invalid', async ({ page }) => {
    await page.getByRole('button', { name: 'Create note' }).click()
    await expect(page.getByLabel('Title')).toHaveAttribute('aria-invalid', 'true')
    await expect(page).toHaveURL('/notes/new')
  })

  test('keeps its input and shows the error if the server fails', async ({ page }) => {
    await page.getByLabel('Title').fill('Not lost')
    const problem = await (await page.request.get('/nowhere')).text()
    await page.route('/notes', (route) =>
      route.fulfill({ status: 503, contentType: 'text/html', body: problem }),
    )
    await page.getByRole('button', { name: 'Create note' }).click()
    await expect(page.getByRole('alert')).toContainText('This page doesn’t exist')
    await expect(page.getByLabel('Title')).toHaveValue('Not lost')
    await expect(page).toHaveURL('/notes/new')
  })

  test('keeps its input and shows the error if the record was deleted', async ({ page }) => {
    const data = { title: 'Soon gone', body: 'Short', published: false }
    const { id } = (await (await page.request.post('/api/notes', { data })).json()) as { id: number }
    await page.goto(`/notes/${id}/edit`)
    await page.getByLabel('Body').fill('An hour of work')
    expect((await page.request.delete(`/api/notes/${id}`)).status()).toBe(204)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(page.getByRole('alert')).not.toBeEmpty()
    await expect(page.getByLabel('Body')).toHaveValue('An hour of work')
    await expect(page).toHaveURL(`/notes/${id}/edit`)
  })

  test('is sent once after a double click', async ({ page }) => {
    await page.getByLabel('Title').fill('Only once')
    await page.getByLabel('Body').fill('Please.')
    const posted: string[] = []
    const clicked = Promise.withResolvers<void>()
    await page.route('/notes', async (route) => {
      posted.push(route.request().method())
      await clicked.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Create note' }).dblclick()
    clicked.resolve()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Only once')
    expect(posted).toEqual(['POST'])
  })
})

test.describe('hostile text', () => {
  test('is text on every page that shows it', async ({ page }) => {
    await signIn(page, 'alice')
    const title = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
    const data = { title, body: '<b>bold</b>', published: false }
    const { id } = (await (await page.request.post('/api/notes', { data })).json()) as { id: number }
    await page.goto(`/notes/${id}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
    await page.goto(`/notes/${id}/edit`)
    await expect(page.getByLabel('Title')).toHaveValue(title)
    await page.goto(`/notes?published=false&q=${encodeURIComponent('<script>')}`)
    await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
    await expect(page.getByRole('searchbox')).toHaveValue('<script>')
  })
})
