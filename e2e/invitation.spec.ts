import { randomUUID } from 'node:crypto'
import { expect, expectAccessible, mailedLink, OWN_PASSWORD, signIn, test } from './support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin invites a user, and the user sets a password', async ({ page, browser }) => {
      const [name, email] = [`Invited ${randomUUID().slice(0, 8)}`, `${randomUUID()}@example.org`]
      await signIn(page, 'admin')
      await page.goto('/users')
      await page.getByRole('link', { name: 'Invite a user' }).click()
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Email').fill('admin@example.test')
      await page.getByLabel('Admin', { exact: true }).check()
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await expect(page.getByLabel('Email')).toHaveAccessibleDescription(/already exists/)
      await expect(page.getByLabel('Email')).toBeFocused()
      await expect(page.getByLabel('Name')).toHaveValue(name)
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await expect(page.getByRole('status')).toHaveText(`Invitation sent to ${name}.`)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)

      const first = await mailedLink(page, email, 'Your invitation')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await expect(page.getByRole('status')).toHaveText(`Invitation sent to ${name}.`)

      const theirs = await (await browser.newContext({ javaScriptEnabled })).newPage()
      // Both invitations are confirmed with the same words, so the page does not tell when the second one is sent.
      await expect(async () => {
        await theirs.goto(first)
        const heading = theirs.getByRole('heading', { level: 1 })
        await expect(heading).toHaveText('This link is not valid', { timeout: 1000 })
      }).toPass()
      await expect(async () => {
        await theirs.goto(await mailedLink(page, email, 'Your invitation'))
        await expect(theirs.getByRole('heading', { level: 1 })).toHaveText('Accept the invitation')
      }).toPass()
      await theirs.getByLabel('New password').fill(OWN_PASSWORD)
      await theirs.getByRole('button', { name: 'Set password' }).click()
      await expect(theirs.getByRole('status')).toHaveText(`Welcome, ${name}.`)
      await theirs.goto('/users')
      await expect(theirs.getByRole('heading', { level: 1 })).toHaveText('Users')
      await theirs.context().close()

      await page.reload()
      await expect(page.getByRole('button', { name: 'Send invitation' })).toHaveCount(0)
    })
  })
}

test('the form and the link of an invitation pass axe and fit the window', async ({ page, browser }) => {
  const email = `${randomUUID()}@example.org`
  await signIn(page, 'admin')
  await page.goto('/users/new')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.locator('[aria-invalid="true"]').first().waitFor()
  await expectAccessible(page)
  await page.getByLabel('Name').fill('Invited')
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect(page.getByRole('status')).toHaveText('Invitation sent to Invited.')
  await expectAccessible(page)
  const theirs = await (await browser.newContext()).newPage()
  await theirs.goto(await mailedLink(page, email, 'Your invitation'))
  await expectAccessible(theirs)
  await theirs.context().close()
})
