import { expect, expectAccessible, signIn, test } from './support.ts'

test('the components pass axe in both themes', async ({ page }) => {
  await page.goto('/_dev/components')
  await expectAccessible(page, [
    { width: 360, colorScheme: 'light' },
    { width: 360, colorScheme: 'dark' },
    { width: 768, colorScheme: 'light' },
    { width: 1024, colorScheme: 'dark' },
    { width: 1440, colorScheme: 'light' },
    { width: 1440, colorScheme: 'dark' },
  ])
})

test('the page of the components opens at its top', async ({ page }) => {
  await page.goto('/_dev/components')
  await expect(page.locator('[aria-invalid="true"]').first()).not.toBeFocused()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
})

test('long values, menus and the choices of filters fit a narrow window', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/_dev/components')
  await page.evaluate(() => {
    for (const panel of document.querySelectorAll<HTMLElement>('.search [popover]')) panel.showPopover()
    for (const details of document.querySelectorAll('details')) details.open = true
  })
  const wide = await page
    .locator('main *')
    .evaluateAll((parts) =>
      parts.filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > 360).map(String),
    )
  expect(wide).toEqual([])
  await page.locator('#example-menu').evaluate((menu) => (menu as HTMLElement).showPopover())
  const menu = await page.locator('#example-menu').boundingBox()
  expect(menu!.x).toBeGreaterThanOrEqual(0)
  expect(menu!.x + menu!.width).toBeLessThanOrEqual(360)
})

test('the panel of each filter is inside the window at any width beside the search field', async ({
  page,
}) => {
  await page.goto('/_dev/components')
  for (const width of [704, 736, 768, 800, 960, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    for (const filter of await page.locator('.dropdown').all()) {
      await filter.locator('summary').click()
      const panel = (await filter.locator('fieldset, ul').boundingBox())!
      expect(panel.x).toBeGreaterThanOrEqual(0)
      expect(panel.x + panel.width, `at ${width} px`).toBeLessThanOrEqual(width)
      const isOnTop = await filter.locator('fieldset, ul').evaluate((element, { x, y, width, height }) => {
        const top = document.elementFromPoint(x + width - 8, y + height - 8)
        return element.contains(top)
      }, panel)
      expect(isOnTop, `at ${width} px`).toBe(true)
      await page.keyboard.press('Escape')
    }
  }
})

test('a menu opens and closes by keyboard', async ({ page }) => {
  await page.goto('/_dev/components')
  const menu = page.locator('#example-menu')
  await page.getByRole('main').getByRole('button', { name: 'Menu', exact: true }).press('Enter')
  await expect(menu).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
})

for (const hasCommands of [true, false])
  test(`a dialog ${hasCommands ? 'with' : 'without'} invoker commands contains the focus, and returns it`, async ({
    page,
  }) => {
    if (!hasCommands)
      await page.addInitScript(() => {
        for (const name of ['command', 'commandForElement'])
          Reflect.deleteProperty(HTMLButtonElement.prototype, name)
        // The browser still carries commands out, unless the click is prevented.
        document.addEventListener('click', (event) => event.preventDefault(), { capture: true })
      })
    await page.goto('/_dev/components')
    const open = page.getByRole('button', { name: 'Dialog', exact: true })
    const dialog = page.getByRole('dialog', { name: 'Leave the project?' })
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Cancel' }).press('Enter'),
    ]) {
      await open.press('Enter')
      await expect(dialog).toBeVisible()
      await expect(dialog.getByRole('button', { name: 'Leave' })).toBeFocused()
      expect(await dialog.evaluate((element) => element.matches(':modal'))).toBe(true)
      await close()
      await expect(dialog).toBeHidden()
      await expect(open).toBeFocused()
    }
  })

test('the choices of a filter close by Escape and by a click elsewhere', async ({ page }) => {
  await page.goto('/_dev/components')
  const summary = page.locator('#search-state > summary')
  const choice = page.getByRole('checkbox', { name: 'Pending' })
  await expect(summary).toHaveText('State: Open')
  await summary.click()
  await choice.check()
  await page.keyboard.press('Escape')
  await expect(choice).toBeHidden()
  await expect(summary).toBeFocused()
  await summary.click()
  await expect(choice).toBeChecked()
  await page.getByRole('heading', { level: 1 }).click()
  await expect(choice).toBeHidden()
})

test('a range of dates is a filter whose text shows its bounds', async ({ page }) => {
  await page.goto('/_dev/components')
  const range = page.locator('#search-due_on')
  await range.locator('summary').click()
  await expect(range.getByRole('group', { name: 'Due on' })).toBeVisible()
  await range.getByLabel('From').fill('2026-03-01')
  await range.getByLabel('To').fill('2026-03-31')
  await page.keyboard.press('Escape')
  await expect(range.getByLabel('From')).toBeHidden()
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled, viewport: { width: 360, height: 740 } })

    test('on a narrow screen, a button opens the navigation', async ({ page }) => {
      await signIn(page, 'admin')
      await page.goto('/')
      const users = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Users' })
      await expect(users).toBeHidden()
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await users.click()
      await expect(page).toHaveURL('/users')
    })

    test('on a narrow screen, a button with the number of active filters opens them', async ({ page }) => {
      await page.goto('/_dev/components')
      const filters = page.locator('#search-filters')
      const button = page.getByRole('button', { name: 'Filters (1)' })
      await expect(filters).toBeHidden()
      await button.click()
      await filters.getByText('State: Open').click()
      await expect(filters.getByRole('checkbox', { name: 'Open' })).toBeChecked()
      await expect(filters.getByRole('link', { name: 'Clear' })).toBeVisible()
      await filters.getByRole('button', { name: 'Done' }).click()
      await expect(filters).toBeHidden()
      await page.setViewportSize({ width: 1024, height: 740 })
      await expect(button).toBeHidden()
      await expect(filters.getByText('State: Open')).toBeVisible()
    })

    test('a visitor chooses the dark theme', async ({ page }) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto('/login')
      const body = page.locator('body')
      const light = await body.evaluate((element) => getComputedStyle(element).backgroundColor)
      await page.getByRole('button', { name: 'Dark theme' }).click()
      await expect(body).not.toHaveCSS('background-color', light)
      await page.getByRole('button', { name: 'System theme' }).click()
      await expect(body).toHaveCSS('background-color', light)
    })
  })
}
