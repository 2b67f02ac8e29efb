import { randomUUID } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import { type ConsoleMessage, expect, type Locator, type Page, test as base } from '@playwright/test'

/** The password of the demo accounts. */
export const PASSWORD = 'pergola-demo'
/** The password of the accounts that `signUp` creates. */
export const OWN_PASSWORD = 'a password for tests'

/**
 * Returns whether a console error is expected: browsers log a page with an error status. A missing asset is never
 * expected.
 */
function isExpected(message: ConsoleMessage, page: Page): boolean {
  const isThePage =
    !message.location().url.includes('/assets/') &&
    message.location().url.startsWith(new URL(page.url()).origin)
  return (
    /Autofocus processing was blocked|^htmx: htmx:error: Failed to fetch/.test(message.text()) ||
    (isThePage && /Failed to load resource/.test(message.text()))
  )
}

/** A test that fails if a page violates its Content-Security-Policy, throws, opens a dialog or logs a console error. */
export const test = base.extend<{ quiet: void }>({
  quiet: [
    async ({ page }, use) => {
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' && !isExpected(message, page)) problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('dialog', async (dialog) => {
        problems.push(`a dialog: ${dialog.message()}`)
        await dialog.dismiss()
      })
      await use()
      expect(problems).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/** Matches the title of a page with this heading: `Users, page 2 · Pergola`. */
export const titled = (heading: string): RegExp => new RegExp(`^${RegExp.escape(heading)} · .`)

export const signIn = (page: Page, name: 'admin' | 'alice' | 'bob'): Promise<void> =>
  signInAs(page, `${name}@example.test`, PASSWORD)

/** Signs in with a request instead of the form, which sign-in.spec.ts tests. Doesn't reload the page. */
export async function signInAs(page: Page, email: string, password = OWN_PASSWORD): Promise<void> {
  const answer = await page.request.post('/login', { form: { email, password }, maxRedirects: 0 })
  expect(answer.status()).toBe(303)
}

/**
 * Creates an account for the test, with OWN_PASSWORD, and signs in. The throttle allows only thirty mails with
 * links per network address and hour, so use it sparingly.
 */
export async function signUp(
  page: Page,
  name = `Test User ${randomUUID().slice(0, 8)}`,
): Promise<{ name: string; email: string }> {
  const email = `${randomUUID()}@example.org`
  await page.goto('/signup')
  await requestLink(page, email)
  await page.goto(await mailedLink(page, email, 'Finish your sign-up'))
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(OWN_PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible()
  return { name, email }
}

/** Submits the form of the page that asks for an address. */
export async function requestLink(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your mail')
}

/** Opens the mail with this subject to this address in the inbox, and returns the link in it. */
export async function mailedLink(page: Page, email: string, subject: string): Promise<string> {
  const inbox = await page.context().newPage()
  const mail = inbox.getByRole('row').filter({ hasText: email }).getByRole('link', { name: subject }).first()
  // The worker delivers the mail shortly after the response.
  await expect(async () => {
    await inbox.goto('/_dev/mail')
    await expect(mail).toBeVisible({ timeout: 300 })
  }).toPass()
  await mail.click()
  const link = await inbox.getByRole('link', { name: 'token=' }).getAttribute('href')
  await inbox.close()
  return link ?? ''
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
}

/** Chooses a record in the field of a reference: the first option of a select, or the second result of a search. */
export async function choose(field: Locator): Promise<void> {
  if (await field.evaluate((element) => element.matches('select'))) await field.selectOption({ index: 1 })
  else await field.locator('xpath=ancestor::*[@class="picker"]').getByRole('radio').nth(1).check()
}

export interface Look {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

const TWO_LOOKS: readonly Look[] = [
  { width: 360, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
]

/** Returns the axe rules that the page violates, each with the elements. */
export async function axeViolations(page: Page): Promise<{ rule: string; elements: string[] }[]> {
  // Legacy mode doesn't open a second page, which is only needed for frames.
  // Passed checks are not reported, which takes a quarter of the time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  // axe would compare the texts below a dialog with the colours of the dialog.
  const dialog = 'dialog:is(:modal, :popover-open)'
  if ((await page.locator(dialog).count()) > 0) axe.include(dialog)
  const { violations } = await axe.analyze()
  return violations.map(({ id, nodes }) => ({ rule: id, elements: nodes.map(({ html }) => html) }))
}

/** Expects that the page passes axe and fits the window in each look; by default narrow and dark, and wide and light. */
export async function expectAccessible(page: Page, looks = TWO_LOOKS): Promise<void> {
  await expect(page.locator('h1')).toHaveCount(1)
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 800 })
    // Without reduced motion, axe could measure colours in the middle of a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await axeViolations(page), `${width} pixels wide, ${colorScheme}`).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `wider than the window by these pixels at ${width}`).toBeLessThanOrEqual(0)
  }
}

const WIDTHS = TWO_LOOKS.map(({ width }) => width)

/** Expects that the click targets of a page are at least 24 pixels high and wide, in narrow and wide windows. */
export async function expectLargeTargets(page: Page): Promise<void> {
  const targets = page
    .locator('a, button, summary, select, input:not([type=hidden], [type=checkbox], [type=radio])')
    .and(page.locator(':not(.skip-link, .visually-hidden)'))
    .filter({ visible: true })
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

/** Sets a JavaScript property on elements. An element that is replaced later doesn't have the property. */
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
