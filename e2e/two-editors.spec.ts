import type { Browser, Page } from '@playwright/test'
import { axeViolations, expect, signIn, signInAs, signUp, test } from './support.ts'

const CHANGED = 'Another user changed this record in the meantime.'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('the second of two concurrent editors gets a conflict and keeps their input', async ({
      page,
      browser,
    }) => {
      const { name, email } = await signUp(page)
      await test.step('of a name', async () => {
        const other = await another(browser, javaScriptEnabled)
        await signInAs(other, email)
        for (const editor of [page, other]) await editor.goto('/account')
        await saveName(other, `${name} I`)
        await expect(other.getByRole('status')).toHaveText('Changes saved.')
        await other.context().close()

        await saveName(page, `${name} II`)
        await expect(page.getByRole('alert')).toContainText(CHANGED)
        const field = page.getByLabel('Name')
        await expect(field).toHaveValue(`${name} II`)
        await expect(field).toHaveAccessibleDescription(new RegExp(`^Current value: ${name} I `))
        await expect(field).toBeFocused()
        await expect(page).toHaveURL('/account')
        await expectAccessibleError(page)

        await page.getByRole('button', { name: 'Save changes' }).click()
        await expect(page.getByRole('status')).toHaveText('Changes saved.')
        await expect(page.getByLabel('Name')).toHaveValue(`${name} II`)
      })

      const other = await another(browser, javaScriptEnabled)
      for (const admin of [page, other]) await openUser(admin, `${name} II`)
      await disable(other)
      await expect(other.getByRole('status')).toHaveText(`${name} II is now disabled.`)

      await test.step('of access, with the same change by both', async () => {
        await disable(page)
        await expect(page.getByRole('status')).toHaveText(`${name} II is now disabled.`)
      })

      await other.getByRole('button', { name: 'Enable' }).click()
      await expect(other.getByRole('status')).toHaveText(`${name} II is now enabled.`)
      await other.context().close()

      await test.step('of roles', async () => {
        const box = page.getByLabel('Admin', { exact: true })
        await box.check()
        await page.getByRole('button', { name: 'Save roles' }).click()
        await expect(page.getByRole('region', { name: 'Roles' }).getByRole('alert')).toContainText(CHANGED)
        await expect(box).toBeChecked()
        await expect(box).toHaveAccessibleDescription('Current value: not checked')
        await expect(box).toBeFocused()
        await expect(page.getByRole('button', { name: 'Disable' })).toBeVisible()
        await expectAccessibleError(page)

        await page.getByRole('button', { name: 'Save roles' }).click()
        await expect(page.getByRole('status')).toHaveText(`Roles of ${name} II saved.`)
        await expect(box).toBeChecked()
      })
    })
  })
}

async function another(browser: Browser, javaScriptEnabled: boolean): Promise<Page> {
  return (await browser.newContext({ javaScriptEnabled })).newPage()
}

async function saveName(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Save changes' }).click()
}

async function disable(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByRole('button', { name: 'Disable the user' }).click()
}

async function openUser(page: Page, name: string): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, 'admin')
  await page.goto('/users')
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
}

/** Expects that the title starts with “Error:”, and that the page passes axe and fits a phone. */
async function expectAccessibleError(page: Page): Promise<void> {
  await expect(page).toHaveTitle(/^Error: /)
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  // axe requires scripts.
  if (await page.evaluate(() => matchMedia('(scripting: none)').matches)) return
  expect(await axeViolations(page)).toEqual([])
}
