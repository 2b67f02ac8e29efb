import { expect, signIn, test } from '../support.ts'
import { writePost } from './support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a post that is published no more is a draft', async ({ page }) => {
      await signIn(page, 'alice')
      await page.goto(`/posts/${await writePost(page, { title: 'Hops', published: true })}`)
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByLabel('Published').uncheck()
      await page.getByRole('button', { name: 'Save changes' }).click()
      await expect(page.getByRole('main')).toContainText('Draft')
    })

    test('a refused form is sent again, mended', async ({ page }) => {
      await signIn(page, 'alice')
      await page.goto('/posts/new')
      await page.getByLabel('Body').fill('Kept')
      await page.getByRole('button', { name: 'Create post' }).click()
      const title = page.getByLabel('Title')
      await expect(title).toHaveAttribute('aria-invalid', 'true')
      await expect(title).toHaveAccessibleDescription(/Write something\./)
      await expect(page.getByLabel('Body')).toHaveValue('Kept')
      await expect(title).toBeFocused()
      await title.fill('Better')
      await page.getByRole('button', { name: 'Create post' }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Better')
    })
  })
}

test('with JavaScript a refused form leaves the address alone', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto('/posts/new')
  await page.getByRole('button', { name: 'Create post' }).click()
  await expect(page.getByLabel('Title')).toHaveAttribute('aria-invalid', 'true')
  await expect(page).toHaveURL('/posts/new')
})

test('a form that the server cannot take keeps what was typed, and says so', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto('/posts/new')
  await page.getByLabel('Title').fill('Not lost')
  const broken = await (await page.request.get('/nowhere')).text()
  await page.route('/posts', (route) =>
    route.fulfill({ status: 503, contentType: 'text/html', body: broken }),
  )
  await page.getByRole('button', { name: 'Create post' }).click()
  await expect(page.getByRole('alert')).toContainText('There is nothing here')
  await expect(page.getByLabel('Title')).toHaveValue('Not lost')
  await expect(page).toHaveURL('/posts/new')
})

test('a double click writes one post', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto('/posts/new')
  await page.getByLabel('Title').fill('Only once')
  await page.getByLabel('Body').fill('Please.')
  const posted: string[] = []
  page.on('request', (request) => request.method() === 'POST' && posted.push(request.url()))
  await page.getByRole('button', { name: 'Create post' }).dblclick()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Only once')
  expect(posted).toHaveLength(1)
})

test('bob finds nothing where alice keeps a draft, and no button on what is hers', async ({
  page,
  browser,
}) => {
  await signIn(page, 'alice')
  const draft = await writePost(page, { title: 'Secret plans', published: false })
  const post = await writePost(page, { title: 'Public plans', published: true })
  const bobs = await (await browser.newContext({ baseURL: new URL(page.url()).origin })).newPage()
  await signIn(bobs, 'bob')
  expect((await bobs.goto(`/posts/${draft}`))?.status()).toBe(404)
  await bobs.goto('/posts')
  await expect(bobs.getByText('Secret plans')).toHaveCount(0)
  await expect(bobs.getByRole('link', { name: 'Public plans', exact: true })).toBeVisible()
  await bobs.goto(`/posts/${post}`)
  await expect(bobs.getByRole('main').getByRole('link', { name: /edit/i })).toHaveCount(0)
  await expect(bobs.getByRole('button', { name: /delete/i })).toHaveCount(0)
  await bobs.context().close()
})

test('a name and a title without an end leave the list as it is', async ({ page }) => {
  await page.goto('/signup')
  await page.getByLabel('Name').fill('W'.repeat(80))
  await page.getByLabel('Email').fill(`long-${Date.now()}@example.org`)
  await page.getByLabel('Password').fill('a long enough one')
  await page.locator('form[action="/signup"] button').click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  const id = await writePost(page, { title: 'M'.repeat(200), published: true })
  for (const path of ['/posts', `/posts/${id}`]) {
    for (const width of [360, 710, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(path)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow, `${path} at ${width} px`).toBeLessThanOrEqual(0)
    }
  }
  await page.goto('/posts')
  const title = await page.getByRole('cell').first().boundingBox()
  expect(title?.width).toBeGreaterThan(150)
  // It would stay on top of everybody's list.
  await page.request.delete(`/api/posts/${id}`)
})
