import { expect, OWN_PASSWORD, signUp, test } from './support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user confirms the password, and returns to the page', async ({ page, context }) => {
      const { email } = await signUp(page)
      const before = await sessionCookie()
      // As the page is opened after a refused form.
      await page.goto('/account/confirm?return_to=/account/password&refused=true')
      await expect(page.getByRole('alert')).toContainText('Your change was not saved.')
      await expect(page.getByRole('main')).toContainText(`You signed in as ${email}`)
      await expect(page.getByLabel('Password')).toBeFocused()

      await page.getByLabel('Password').fill('not this one')
      await page.getByRole('button', { name: 'Confirm' }).click()
      await expect(page.getByLabel('Password')).toHaveAccessibleDescription('Wrong password.')
      await expect(page.getByLabel('Password')).toBeFocused()

      await page.getByLabel('Password').fill(OWN_PASSWORD)
      await page.getByRole('button', { name: 'Confirm' }).click()
      await expect(page).toHaveURL('/account/password')
      expect(await sessionCookie()).not.toBe(before)

      async function sessionCookie(): Promise<string | undefined> {
        return (await context.cookies()).find(({ name }) => name === 'sid')?.value
      }
    })
  })
}
