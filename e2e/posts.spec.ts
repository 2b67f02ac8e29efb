import { expect, expectAccessible, signIn, test } from './support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('alice creates, edits and deletes a post', async ({ page }) => {
      await signIn(page, 'alice')
      await page.goto('/posts')
      await page.getByRole('link', { name: 'New post' }).click()
      await page.getByLabel('Title').fill('Title 901')
      await page.getByLabel('Body').fill('Body 901')
      await page.getByLabel('Published').check()
      await page.getByRole('button', { name: 'Create post' }).click()
      await expect(page.getByRole('status')).toContainText('Post created.')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Title 901')

      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByLabel('Title').fill('Title 903')
      await page.getByRole('button', { name: 'Save changes' }).click()
      await expect(page.getByRole('status')).toContainText('Post updated.')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Title 903')

      const address = page.url()
      await page.getByRole('button', { name: /^Delete/ }).click()
      await page.getByRole('button', { name: 'Delete for good' }).click()
      await expect(page).toHaveURL('/posts')
      await expect(page.getByRole('status')).toContainText('Post deleted.')
      expect((await page.goto(address))?.status()).toBe(404)
    })

    test('an invalid form shows the error beside the field and keeps the other input', async ({ page }) => {
      await signIn(page, 'alice')
      await page.goto('/posts/new')
      await page.getByLabel('Body').fill('Body 901')
      await page.getByRole('button', { name: 'Create post' }).click()
      await expect(page.getByLabel('Title')).toHaveAttribute('aria-invalid', 'true')
      await expect(page.getByLabel('Title')).toBeFocused()
      await expect(page.getByLabel('Body')).toHaveValue('Body 901')
    })
  })
}

test('the pages of posts pass axe, and the form focuses its first field', async ({ page }) => {
  await signIn(page, 'admin')
  await page.goto('/posts')
  await expectAccessible(page)
  await page.getByRole('row').last().getByRole('link').first().click()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).waitFor()
  await expectAccessible(page)
  await page.goto('/posts/new')
  await expect(page.getByLabel('Title')).toBeFocused()
  await expectAccessible(page)
})
