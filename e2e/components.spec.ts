import { expect, expectAccessible, test } from './support.ts'

test('the components pass axe in both themes, and popovers work by keyboard', async ({ page }) => {
  await page.goto('/_dev/components')
  await expectAccessible(page, [
    { width: 360, colorScheme: 'light' },
    { width: 360, colorScheme: 'dark' },
    { width: 1440, colorScheme: 'light' },
    { width: 1440, colorScheme: 'dark' },
  ])
  for (const name of ['Menu', 'Dialog']) {
    const popover = page.locator(`#example-${name.toLowerCase()}`)
    await page.getByRole('main').getByRole('button', { name, exact: true }).press('Enter')
    await expect(popover).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(popover).toBeHidden()
  }
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled, viewport: { width: 360, height: 740 } })

    test('on a narrow screen, a button opens the navigation', async ({ page }) => {
      await page.goto('/')
      const posts = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Posts' })
      await expect(posts).toBeHidden()
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await posts.click()
      await expect(page).toHaveURL('/posts')
    })

    test('a visitor chooses the dark theme', async ({ page }) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto('/posts?page=2')
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const light = await background()
      await page.getByRole('button', { name: 'Dark theme' }).click()
      expect(await background()).not.toBe(light)
      await page.getByRole('button', { name: 'System theme' }).click()
      expect(await background()).toBe(light)
    })
  })
}
