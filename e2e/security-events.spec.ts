import type { Page } from '@playwright/test'
import { expect, signIn, signUp, test, titled } from './support.ts'

const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') })

test('users see the events of their own account', async ({ page }) => {
  await signUp(page)
  await page.goto('/account')
  await page.getByRole('link', { name: 'Security events' }).click()
  await expect(page).toHaveTitle(titled('Security events'))
  await expect(rows(page)).toHaveText([/Account created.*You.*Chrome/s])
})

test('admins filter the events by kind and by user', async ({ page }) => {
  const { name } = await signUp(page)
  await signIn(page, 'admin')
  await page.goto('/users?sort=created_at&dir=desc')
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('link', { name: 'Security events of this user' }).click()
  await expect(rows(page)).toHaveText([/Account created/])
  await expect(page.getByText(`Only events of ${name}.`)).toBeVisible()
  await page.getByRole('combobox', { name: 'Kind of event' }).selectOption('Signed in')
  await expect(page.getByText('No results')).toBeVisible()
  await page.getByRole('link', { name: 'Show all events' }).click()
  await expect(rows(page).first()).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('admins filter the events and go to older ones', async ({ page }) => {
    await signIn(page, 'admin')
    await signIn(page, 'admin')
    await page.goto('/security-events?size=1')
    await page.getByRole('combobox', { name: 'Kind of event' }).selectOption('Signed in')
    await page.getByRole('button', { name: 'Filter' }).click()
    await expect(page).toHaveURL(/kind=sign-in/)
    await page.getByRole('link', { name: 'Next' }).click()
    await expect(page).toHaveTitle(titled('Security events, older'))
    await expect(rows(page)).toHaveText([/Signed in/])
  })
})
