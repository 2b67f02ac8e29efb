import type { Page } from '@playwright/test'
import { expect } from '../support.ts'

/** Never answers what an endless list loads by itself as it comes into view, so that a click on its link is first. */
export const holdAutomaticLoads = (page: Page): Promise<unknown> =>
  page.route('/feed/scroll?*', async (route) => {
    if (route.request().headers()['hx-source'] !== 'li#feed-more') await route.fallback()
  })

/** Writes a post through the API, as the page's visitor, and gives its id. */
export async function writePost(
  page: Page,
  post: { title: string; body?: string; published: boolean },
): Promise<number> {
  const answer = await page.request.post('/api/posts', { data: { body: 'Written by a test.', ...post } })
  expect(answer.status()).toBe(201)
  return ((await answer.json()) as { id: number }).id
}
