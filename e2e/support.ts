import { randomUUID } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
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

/** The title of a page with this heading: the application's name follows it. */
export const titled = (heading: string): RegExp => new RegExp(`^${RegExp.escape(heading)} · .`)

export const signIn = (page: Page, name: 'admin' | 'alice' | 'bob'): Promise<void> =>
  signInAs(page, `${name}@example.test`)

/** Signs in without the form, which sign-in.spec.ts fills in. The page stays as it is. */
export async function signInAs(page: Page, email: string, password = PASSWORD): Promise<void> {
  const answer = await page.request.post('/login', { form: { email, password }, maxRedirects: 0 })
  expect(answer.status()).toBe(303)
}

/**
 * Makes an account of the test's own, with the password of the demo, and is signed in as it. Sparingly: ten of one
 * address are all that the throttle lets pass in a run.
 */
export async function signUp(page: Page): Promise<{ name: string; email: string }> {
  const name = `Somebody ${randomUUID().slice(0, 8)}`
  const email = `${randomUUID()}@example.org`
  await page.goto('/signup')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.locator('form[action="/signup"] button').click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  return { name, email }
}

export interface Look {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

const TWO_LOOKS: readonly Look[] = [
  { width: 360, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
]

/** The rules that the page breaks, each with the elements. */
export async function axeViolations(page: Page): Promise<{ rule: string; elements: string[] }[]> {
  // Legacy mode looks at this page without opening a second one. The pages have no frames, which need the second one.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return violations.map(({ id, nodes }) => ({ rule: id, elements: nodes.map(({ html }) => html) }))
}

/** The page has nothing that axe objects to, and fits the window: narrow and dark, wide and light, unless told otherwise. */
export async function expectAccessible(page: Page, looks = TWO_LOOKS): Promise<void> {
  await expect(page.locator('h1')).toHaveCount(1)
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 800 })
    // Without motion no colour is looked at on its way to another.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await axeViolations(page), `${width} pixels wide, ${colorScheme}`).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `wider than the window by these pixels at ${width}`).toBeLessThanOrEqual(0)
  }
}

const WIDTHS = TWO_LOOKS.map(({ width }) => width)

/** Everything that one clicks in a list is at least 24 pixels high and wide, on narrow and wide windows. */
export async function expectLargeTargets(page: Page): Promise<void> {
  const targets = page.locator(
    'nav.pager a, form.inline :is(select, input:not([type=hidden]), button), .more a',
  )
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    const boxes = await targets.evaluateAll((all) =>
      all.map((target) => target.getBoundingClientRect().toJSON() as DOMRect),
    )
    expect(boxes.length).toBeGreaterThan(0)
    for (const { width, height } of boxes) {
      expect(width).toBeGreaterThanOrEqual(24)
      expect(height).toBeGreaterThanOrEqual(24)
    }
  }
}

/** Marks elements as JavaScript knows them: a replaced element has lost its mark. */
export const mark = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const selector of ['body > header', '#status'])
      Object.assign(document.querySelector(selector) ?? {}, { isMarked: true })
  })

export const isMarked = (page: Page): Promise<{ header: boolean; status: boolean }> =>
  page.evaluate(() => {
    const has = (selector: string) => 'isMarked' in (document.querySelector(selector) ?? {})
    return { header: has('body > header'), status: has('#status') }
  })
