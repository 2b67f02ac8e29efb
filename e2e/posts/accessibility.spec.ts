import type { Page } from '@playwright/test'
import { expectAccessible, expectLargeTargets, signIn, test } from '../support.ts'
import { writePost } from './support.ts'

/** Every page of the sample, in each of its visually different states. */
const PAGES: Record<string, (page: Page) => Promise<unknown>> = {
  'the posts in the middle, sorted': (page) => page.goto('/posts?sort=title&dir=desc&page=7'),
  'the posts, searched and filtered': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/posts?q=clematis&published=false')
  },
  'the posts, no results': (page) => page.goto('/posts?q=nothing+like+this'),
  'a page past the end': (page) => page.goto('/posts?page=9999'),
  'the second page of the feed': async (page) => {
    await page.goto('/feed?size=5')
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByRole('link', { name: 'Previous' }).waitFor()
  },
  'the feed on one page, after loading more': async (page) => {
    await page.goto('/feed/scroll?size=5')
    await page.locator('#feed-more').scrollIntoViewIfNeeded()
    await page.locator('#feed > li').nth(9).waitFor()
  },
  'the posts for an admin, deleting': async (page) => {
    await signIn(page, 'admin')
    await page.goto('/posts?page=2')
    await page
      .getByRole('button', { name: /^Delete/ })
      .first()
      .click()
  },
  'a post of the signed-in user': async (page) => {
    await signIn(page, 'alice')
    await page.goto(`/posts/${await writePost(page, { title: 'A draft', published: false })}`)
    await page
      .getByRole('button', { name: /^Delete/ })
      .first()
      .click()
  },
  'a rejected form': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/posts/new')
    await page.getByRole('button', { name: 'Create post' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
  },
  'a message after a write': async (page) => {
    await signIn(page, 'alice')
    await page.goto(`/posts/${await writePost(page, { title: 'To be saved', published: true })}/edit`)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('status').waitFor()
  },
}

for (const [name, open] of Object.entries(PAGES)) {
  test(`${name} passes axe and fits the window`, async ({ page }) => {
    await open(page)
    await expectAccessible(page)
  })
}

test('click targets in the feed are large enough', async ({ page }) => {
  for (const path of ['/feed?size=5', '/feed/scroll?size=5']) {
    await page.goto(path)
    await expectLargeTargets(page)
  }
})
