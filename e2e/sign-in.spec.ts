import { expect, PASSWORD, signIn, signOut, test } from './support.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a guest signs in and returns to the requested page', async ({ page }) => {
      await page.goto('/account/password')
      await expect(page).toHaveURL('/login?return_to=%2Faccount%2Fpassword')
      await page.getByLabel('Email').fill('bob@example.test')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await expect(page.getByRole('button', { name: 'Show Password' })).toBeVisible({
        visible: javaScriptEnabled,
      })
      await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page).toHaveURL('/account/password')
      await signOut(page)
      await expect(page.getByRole('status')).toContainText('signed out')
    })
  })
}

test('a password can be shown, until its form is sent', async ({ page }) => {
  await page.goto('/login')
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('wrong but long')
  const show = page.getByRole('button', { name: 'Show Password' })
  await expect(show).toHaveAttribute('aria-pressed', 'false')
  await show.press('Enter')
  await expect(show).toHaveAttribute('aria-pressed', 'true')
  await expect(password).toHaveAttribute('type', 'text')
  await page.evaluate(`document.addEventListener('submit', (event) => event.preventDefault())`)
  await password.press('Enter')
  await expect(password).toHaveAttribute('type', 'password')
  await expect(password).toHaveValue('wrong but long')
})

test('a form on another site cannot sign the user out', async ({ page, baseURL }) => {
  await signIn(page, 'alice')
  // Another port is another origin on the same site, so the browser sends the cookie.
  await page.route('http://127.0.0.1:9/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${baseURL}/logout"><button>Win a prize</button></form>`,
    }),
  )
  await page.goto('http://127.0.0.1:9/trap')
  const [answer] = await Promise.all([
    page.waitForResponse(`${baseURL}/logout`),
    page.getByRole('button', { name: 'Win a prize' }).click(),
  ])
  expect(answer.status()).toBe(403)
  await page.goto(`${baseURL}/account`)
  await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible()
})
