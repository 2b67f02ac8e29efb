import type { Page } from '@playwright/test'
import { expect, OWN_PASSWORD, signIn, signInAs, signUp, test } from './support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin grants and revokes the admin role, and disables a user', async ({ page, browser }) => {
      const theirs = await (await browser.newContext({ javaScriptEnabled })).newPage()
      const { name, email } = await signUp(theirs)
      await signIn(page, 'admin')
      await page.goto('/')
      await mainNav(page).getByRole('link', { name: 'Users' }).click()
      await page.getByRole('link', { name, exact: true }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
      await expect(page.getByRole('main')).toContainText(email)

      await saveAdmin(page, true)
      await theirs.goto('/users')
      await expect(theirs.getByRole('link', { name, exact: true }).first()).toBeVisible()
      await saveAdmin(page, false)
      expect((await theirs.reload())?.status()).toBe(403)

      await theirs.goto('/account')
      await page.getByRole('button', { name: 'Disable', exact: true }).click()
      await page.getByRole('button', { name: 'Disable the user' }).click()
      await expect(page.getByRole('status')).toHaveText(`${name} is now disabled.`)
      await expect(page).toHaveURL(/\/users\/\d+$/)
      await theirs.getByRole('link', { name: 'Change password' }).click()
      await expect(theirs).toHaveURL('/login?return_to=%2Faccount%2Fpassword')

      await page.getByRole('button', { name: 'Enable' }).click()
      await expect(page.getByRole('status')).toHaveText(`${name} is now enabled.`)
      await theirs.goto('/account')
      await expect(theirs).toHaveURL('/login?return_to=%2Faccount')

      await signInAs(theirs, email)
      await page.reload()
      await expect(page.getByRole('main')).toContainText('Signed in with 1 browser.')
      await page.getByRole('button', { name: 'Sign out everywhere' }).click()
      await page.getByRole('button', { name: 'End all sessions' }).click()
      await expect(page.getByRole('main')).toContainText('Signed in with 0 browsers.')
      await theirs.goto('/account')
      await expect(theirs).toHaveURL(/\/login/)
      await theirs.context().close()
    })

    test('a user ends the sessions of other browsers, and deletes the account', async ({ page, browser }) => {
      const { email, name } = await signUp(page)
      const other = await (await browser.newContext({ javaScriptEnabled })).newPage()
      await signInAs(other, email)
      await other.goto('/')

      await openAccount(page)
      await page.getByRole('link', { name: 'Change password' }).click()
      await changePassword(page, 'not this one')
      await expect(page.getByLabel('Current password')).toHaveAccessibleDescription('Wrong password.')
      await expect(page.getByLabel('Current password')).toBeFocused()
      await changePassword(page, OWN_PASSWORD)
      await expect(page.getByRole('status')).toContainText('Password changed.')
      await expect(page).toHaveURL('/account')
      await openAccount(other)
      await expect(other).toHaveURL('/login?return_to=%2Faccount')

      await signInAs(other, email, NEW)
      await page.reload()
      const row = page.getByRole('row').filter({ hasNotText: 'This browser' }).nth(1)
      await row.getByRole('button', { name: /^End/ }).click()
      await row.getByRole('button', { name: 'End session' }).click()
      await expect(page.getByRole('status')).toHaveText('Session ended.')
      await expect(page.getByRole('row')).toHaveCount(2)
      await other.goto('/account')
      await expect(other).toHaveURL(/\/login/)
      await other.context().close()

      await page.getByLabel('Name').fill('')
      await page.getByRole('button', { name: 'Save changes' }).click()
      await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
      await page.getByLabel('Name').fill(`${name} II`)
      await page.getByRole('button', { name: 'Save changes' }).click()
      await expect(page.getByRole('status')).toContainText('Changes saved.')
      await expect(page.getByLabel('Name')).toHaveValue(`${name} II`)

      await page.getByRole('link', { name: 'Delete your account' }).click()
      await page.getByRole('button', { name: 'Delete for good' }).click()
      await expect(page.getByRole('status')).toHaveText('Account deleted.')
      await expect(page).toHaveURL('/')
      await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible()
    })
  })
}

test('the admin searches users by name', async ({ page }) => {
  await signIn(page, 'admin')
  await page.goto('/users')
  await page.getByRole('searchbox', { name: 'Search name or email' }).fill('ALICE')
  await expect(page).toHaveURL('/users?q=ALICE')
  await expect(page.locator('.records td:first-child')).toHaveText(['Alice'])
  await page.getByRole('link', { name: 'Name' }).click()
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending')

  await page.getByRole('searchbox', { name: 'Search name or email' }).fill('<nothing> like this')
  await expect(page.getByText('No results for “<nothing> like this”.')).toBeVisible()
  await page.getByRole('link', { name: 'Show all users' }).click()
  await expect(page).toHaveURL('/users?sort=name&dir=asc')
  await expect(page.getByRole('row').nth(2)).toBeVisible()
})

const mainNav = (page: Page) => page.getByRole('navigation', { name: 'Main' })

const NEW = 'a new and long one'

async function saveAdmin(page: Page, isAdmin: boolean): Promise<void> {
  await page.getByLabel('Admin', { exact: true }).setChecked(isAdmin)
  // The page may still show the previous message.
  const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.getByRole('button', { name: 'Save roles' }).click()
  await answered
  await expect(page.getByRole('status')).toContainText('saved.')
  await expect(page.getByLabel('Admin', { exact: true })).toBeChecked({ checked: isAdmin })
}

async function changePassword(page: Page, current: string): Promise<void> {
  await page.getByLabel('Current password').fill(current)
  await page.getByLabel('New password').fill(NEW)
  await page.getByRole('button', { name: 'Change password' }).click()
}

async function openAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('link', { name: 'Your account' }).click()
}
