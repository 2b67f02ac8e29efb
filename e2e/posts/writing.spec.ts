import { expect, signIn, signUp, test } from '../support.ts'
import { writePost } from './support.ts'

test('unpublishing a post makes it a draft', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto(`/posts/${await writePost(page, { title: 'Hops', published: true })}`)
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Published').uncheck()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByRole('main')).toContainText('Draft')
})

test('bob can neither see a draft of alice nor edit her posts', async ({ page, browser }) => {
  await signIn(page, 'alice')
  const draft = await writePost(page, { title: 'Secret plans', published: false })
  const post = await writePost(page, { title: 'Public plans', published: true })
  const bobs = await (await browser.newContext()).newPage()
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

test('a very long name and title don’t break the layout', async ({ page }) => {
  await signUp(page, 'W'.repeat(80))
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
  // Other tests would find this post at the top of the list.
  await page.request.delete(`/api/posts/${id}`, { headers: { 'If-Match': '*' } })
})
