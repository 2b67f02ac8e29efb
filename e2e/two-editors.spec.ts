import type { Browser, Page } from '@playwright/test'
import { axeViolations, expect, signIn, signInAs, signUp, test } from './support.ts'

const CHANGED = 'Somebody else changed this meanwhile.'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('of two editors of one record, the second is told and loses nothing', async ({ page, browser }) => {
      test.slow()
      const { name, email } = await signUp(page)
      await test.step('of a name', async () => {
        const other = await another(browser, javaScriptEnabled)
        await signInAs(other, email)
        for (const editor of [page, other]) await editor.goto('/account')
        await saveName(other, `${name} I`)
        await expect(other.getByRole('status')).toHaveText('Your changes are saved.')
        await other.context().close()

        await saveName(page, `${name} II`)
        await expect(page.getByRole('alert')).toContainText(CHANGED)
        const field = page.getByLabel('Name')
        await expect(field).toHaveValue(`${name} II`)
        await expect(field).toHaveAccessibleDescription(new RegExp(`^Stored now: ${name} I `))
        await expect(field).toBeFocused()
        await expect(page).toHaveURL('/account')
        await expectWellMade(page)

        await page.getByRole('button', { name: 'Save changes' }).click()
        await expect(page.getByRole('status')).toHaveText('Your changes are saved.')
        await expect(page.getByLabel('Name')).toHaveValue(`${name} II`)
      })

      const other = await another(browser, javaScriptEnabled)
      for (const admin of [page, other]) await openUser(admin, `${name} II`)
      await other.getByRole('button', { name: 'Disable' }).click()
      await expect(other.getByRole('status')).toHaveText(`${name} II is disabled.`)

      await test.step('of an access that is as both want it', async () => {
        await page.getByRole('button', { name: 'Disable' }).click()
        await expect(page.getByRole('status')).toHaveText(`${name} II is disabled.`)
      })

      await other.getByRole('button', { name: 'Enable' }).click()
      await expect(other.getByRole('status')).toHaveText(`${name} II is enabled.`)
      await other.context().close()

      await test.step('of roles', async () => {
        const box = page.getByLabel('admin', { exact: true })
        await box.check()
        await page.getByRole('button', { name: 'Save roles' }).click()
        await expect(page.getByRole('article', { name: 'Roles' }).getByRole('alert')).toContainText(CHANGED)
        await expect(box).toBeChecked()
        await expect(box).toHaveAccessibleDescription('Stored now: not checked')
        await expect(box).toBeFocused()
        await expect(page.getByRole('button', { name: 'Disable' })).toBeVisible()
        await expectWellMade(page)

        await page.getByRole('button', { name: 'Save roles' }).click()
        await expect(page.getByRole('status')).toHaveText(`The roles of ${name} II are saved.`)
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

async function openUser(page: Page, name: string): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, 'admin')
  await page.goto('/users')
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
}

/** The title says it first, axe has nothing to object to, and it fits a phone. */
async function expectWellMade(page: Page): Promise<void> {
  await expect(page).toHaveTitle(/^Error: /)
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  // Where pages run no scripts, axe doesn't either.
  if (await page.evaluate(() => matchMedia('(scripting: none)').matches)) return
  expect(await axeViolations(page)).toEqual([])
}
