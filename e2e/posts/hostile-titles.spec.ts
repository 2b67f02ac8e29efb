import { expect, expectAccessible, signIn, test } from '../support.ts'
import { writePost } from './support.ts'

/** Titles that break a page without escaping or overflow handling. */
const TITLES = [
  '<script>alert("pergola")</script>',
  '"><img src=x onerror=alert(1)>',
  `It's "quoted" & <b>bold</b> — isn't it?`,
  'حديقة صغيرة خلف البيت',
  'שלום to both directions ‮desrever si siht',
  '🌿🪴 Family of gardeners: 👩🏽‍🌾👨‍👩‍👧‍👦',
  'A title of two hundred characters '.padEnd(200, 'that goes on and on ').slice(0, 199) + '.',
  'Unbroken'.repeat(25),
  '{{ 7 * 7 }} <%= 7 * 7 %> ${7 * 7}',
  "Robert'); DROP TABLE posts;--",
  '%_\\ wildcards and a trailing backslash \\',
  'Zalgo t̸̢̛e̴̡x̵̢t̶̨ and a zero​width space',
]

test('hostile titles are rendered as text on every page', async ({ page }) => {
  await signIn(page, 'admin')
  const title = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
  const id = await writePost(page, { title, published: true })
  await page.goto(`/posts/${id}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
  await page.goto(`/posts/${id}/edit`)
  await expect(page.getByLabel('Title')).toHaveValue(title)
  await page.goto('/posts')
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible()
})

test('a list of hostile titles shows each as text, passes axe, and fits the window', async ({ page }) => {
  await signIn(page, 'bob')
  const ids: number[] = []
  for (const title of TITLES) ids.push(await writePost(page, { title, body: 'Hostile', published: false }))
  for (const path of ['/posts?q=hostile&published=false', `/posts/${ids[7]}`, '/posts?q=%3Cscript%3E']) {
    await page.goto(path)
    await expectAccessible(page)
  }
  await page.goto('/posts?q=hostile&published=false')
  const links = page.locator('table.records tbody td:first-child > a')
  const shown = await links.evaluateAll((all) => all.map((link) => link.textContent))
  expect(shown.toSorted()).toEqual(TITLES.toSorted())
  // Other tests would see these posts.
  for (const id of ids) await page.request.delete(`/api/posts/${id}`, { headers: { 'If-Match': '*' } })
})
