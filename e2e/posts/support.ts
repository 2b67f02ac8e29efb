import type { Page } from '@playwright/test'
import { expect } from '../support.ts'

/** Creates a post through the API as the user who is signed in on the page, and returns its id. */
export async function writePost(
  page: Page,
  post: { title: string; body?: string; published: boolean },
): Promise<number> {
  const answer = await page.request.post('/api/posts', { data: { body: 'Written by a test.', ...post } })
  expect(answer.status()).toBe(201)
  return ((await answer.json()) as { id: number }).id
}
