import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, signIn, test } from '../support.ts'
import { writePost } from './support.ts'

/** Every page of the sample, in each of the states that look different. */
const PAGES: Record<string, (page: Page) => Promise<unknown>> = {
  'the posts for a guest': (page) => page.goto('/posts'),
  'the posts in the middle': (page) => page.goto('/posts?page=7'),
  'the posts, sorted': (page) => page.goto('/posts?sort=title&dir=desc&page=2'),
  'the posts, searched and filtered': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/posts?q=clematis&published=false')
  },
  'the posts, nothing found': (page) => page.goto('/posts?q=nothing+like+this'),
  'a page past the end': (page) => page.goto('/posts?page=9999'),
  'a page chosen by its number': async (page) => {
    await page.goto('/posts')
    await page.getByLabel('Go to page').fill('7')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByRole('heading', { level: 1, name: 'Posts, page 7' }).waitFor()
  },
  'the feed': (page) => page.goto('/feed?size=5'),
  'the feed after a step': async (page) => {
    await page.goto('/feed?size=5')
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByRole('link', { name: 'Previous' }).waitFor()
  },
  'the feed on one page, with more of it': async (page) => {
    await page.goto('/feed/scroll?size=5')
    await page.locator('#feed-more').scrollIntoViewIfNeeded()
    await page.locator('#feed > li').nth(9).waitFor()
  },
  'the posts for an admin, deleting': async (page) => {
    await signIn(page, 'admin')
    await page.goto('/posts?page=2')
    await page.locator('summary').first().click()
  },
  'a post of one’s own': async (page) => {
    await signIn(page, 'alice')
    await page.goto(`/posts/${await writePost(page, { title: 'A draft', published: false })}`)
    await page.locator('summary').first().click()
  },
  'the form for a new post': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/posts/new')
  },
  'a refused form': async (page) => {
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
  test(`${name} has nothing that axe objects to, and fits the window`, async ({ page }) => {
    test.slow()
    await open(page)
    await expectAccessible(page)
  })
}

/** What a page draws of its list, cut out of it. */
const PIECES: Record<string, [path: string, selector: string]> = {
  'the pager in the middle': ['/posts?page=7', 'nav.pager'],
  'the pager at the beginning': ['/posts', 'nav.pager'],
  'the pager past the end': ['/posts?page=9999', 'nav.pager'],
  'the choice of a size': ['/posts', 'form:has([name=size])'],
  'the form for a page': ['/posts', 'form:has([name=page])'],
  'the pager of the feed': ['/feed?size=5', 'nav.pager'],
}

for (const [name, [path, selector]] of Object.entries(PIECES)) {
  test(`${name} has nothing that axe objects to on a page of its own`, async ({ page }) => {
    await page.goto(path)
    const html = await page.locator(selector).evaluate((element) => element.outerHTML)
    await page.setContent(
      `<!doctype html><html lang="en"><title>Alone</title><main><h1>Alone</h1>${html}</main></html>`,
    )
    await expect(page.locator(selector)).toHaveCount(1)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  })
}

for (const width of [360, 1440]) {
  test(`what one clicks in lists is large enough at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    for (const path of ['/posts?page=7', '/feed?size=5', '/feed/scroll?size=5']) {
      await page.goto(path)
      const targets = page.locator(
        'nav.pager a, form.inline :is(select, input:not([type=hidden]), button), .more a',
      )
      const boxes = await targets.evaluateAll((all) =>
        all.map((target) => target.getBoundingClientRect().toJSON()),
      )
      expect(boxes.length).toBeGreaterThan(0)
      for (const { width, height } of boxes as DOMRect[]) {
        expect(width).toBeGreaterThanOrEqual(24)
        expect(height).toBeGreaterThanOrEqual(24)
      }
    }
  })
}
