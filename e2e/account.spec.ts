import { randomUUID } from 'node:crypto'
import { expect, mailedLink, requestLink, signInAs, signOut, signUp, test } from './support.ts'

const NEW = 'a password that is new'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a visitor signs up, forgets the password, and sets a new one', async ({ page, browser }) => {
      const { name, email } = await signUp(page)
      await expect(page.getByRole('status')).toHaveText(`Welcome, ${name}.`)
      await page.goto('/account')
      await expect(page.getByText('Not confirmed')).toHaveCount(0)
      const other = await (await browser.newContext({ javaScriptEnabled })).newPage()
      await signInAs(other, email)
      await signOut(page)

      await page.goto('/login')
      await page.getByRole('link', { name: 'Forgotten password?' }).click()
      await requestLink(page, email)
      const link = await mailedLink(page, email, 'Set a new password')
      await page.goto(link)
      await page.getByLabel('New password').fill('short')
      await page.getByRole('button', { name: 'Set password' }).click()
      await expect(page.getByLabel('New password')).toHaveAccessibleDescription(/Use 15 characters or more/)
      await expect(page.getByLabel('New password')).toBeFocused()
      await page.getByLabel('New password').fill(NEW)
      await page.getByRole('button', { name: 'Set password' }).click()
      await expect(page.getByRole('status')).toContainText('Password changed.')
      await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible()
      // To the rejected form, which the browser must not request again.
      await page.goBack()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Set a new password')

      await other.goto('/account')
      await expect(other).toHaveURL(/\/login/)
      await other.goto(link)
      await expect(other.getByRole('heading', { level: 1 })).toHaveText('This link is not valid')
      await other.getByRole('link', { name: 'Request a new link' }).click()
      await expect(other).toHaveURL('/password-reset')
      await signInAs(other, email, NEW)
      await other.context().close()
    })

    test('a user changes the address by a link in a mail', async ({ page }) => {
      await signUp(page)
      const email = `${randomUUID()}@example.org`
      await page.goto('/account')
      await page.getByRole('link', { name: 'Change email address' }).click()
      await page.getByLabel('New email address').fill(email)
      await page.getByRole('button', { name: 'Send link' }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your mail')
      await page.goto(await mailedLink(page, email, 'Confirm your new email address'))
      await page.getByRole('button', { name: 'Confirm address' }).click()
      await expect(page.getByRole('status')).toHaveText(
        'Email address changed. All other browsers are now signed out.',
      )
      await expect(page.getByRole('main')).toContainText(`You sign in as ${email}.`)
    })
  })
}
