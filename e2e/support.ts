import { type ConsoleMessage, expect, type Page, test as base } from '@playwright/test'

export const PASSWORD = 'pergola-demo'

/** What a browser may say without anything being wrong: it comments on pages that are no 2xx, never on what they load. */
function isExpected(message: ConsoleMessage, page: Page): boolean {
  const isThePage =
    !message.location().url.includes('/assets/') &&
    message.location().url.startsWith(new URL(page.url()).origin)
  return (
    /Autofocus processing was blocked/.test(message.text()) ||
    (isThePage && /Failed to load resource/.test(message.text()))
  )
}

/** A test that fails when a page breaks its Content-Security-Policy, throws, opens a dialog or complains on the console. */
export const test = base.extend<{ quiet: void }>({
  quiet: [
    async ({ page }, use) => {
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' && !isExpected(message, page)) complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('dialog', async (dialog) => {
        complaints.push(`a dialog: ${dialog.message()}`)
        await dialog.dismiss()
      })
      await use()
      expect(complaints).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

export async function signIn(page: Page, name: 'admin' | 'alice' | 'bob'): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email').fill(`${name}@example.test`)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
}

/** Writes a post through the API, as the page's visitor, and gives its id. */
export async function writePost(page: Page, post: { title: string; published: boolean }): Promise<number> {
  const answer = await page.request.post('/api/posts', { data: { body: 'Written by a test.', ...post } })
  expect(answer.status()).toBe(201)
  return ((await answer.json()) as { id: number }).id
}
