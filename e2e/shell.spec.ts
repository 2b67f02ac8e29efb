import type { Page } from '@playwright/test'
import { expect, signIn, test } from './support.ts'

/** Adds thirty entries before those of the navigation, as an application with many resources has. */
const withManyEntries = (page: Page) =>
  page.route('/users', async (route) => {
    const response = await route.fetch()
    const entries = Array.from({ length: 30 }, (_, index) => `<li><a href="/">Entry ${index + 1}</a></li>`)
    const list = /(<nav class="nav"[\s\S]*?<ul>)/
    await route.fulfill({ response, body: (await response.text()).replace(list, `$1${entries.join('')}`) })
  })

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' })

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('the navigation closes by its button, and by the Tab key behind its last entry', async ({ page }) => {
    await page.goto('/')
    const menu = page.getByRole('button', { name: 'Menu', exact: true })
    await menu.click()
    await navigation(page).getByRole('button', { name: 'Close menu' }).click()
    await expect(navigation(page)).toBeHidden()
    await menu.click()
    await navigation(page).locator('a, button').last().focus()
    await page.keyboard.press('Tab')
    await expect(navigation(page)).toBeHidden()
    // The button of an open menu closes it.
    await menu.click()
    await expect(navigation(page)).toBeVisible()
    await menu.press('Enter')
    await expect(navigation(page)).toBeHidden()
  })

  test('a long navigation opens at the entry of the page', async ({ page }) => {
    await signIn(page, 'admin')
    await withManyEntries(page)
    await page.goto('/users')
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await expect(navigation(page).getByRole('link', { name: 'Users' })).toBeInViewport()
    await expect(navigation(page).getByRole('link', { name: 'Entry 1', exact: true })).not.toBeInViewport()
  })
})

test('a long navigation beside the page shows the entry of the page', async ({ page }) => {
  await signIn(page, 'admin')
  await withManyEntries(page)
  await page.goto('/users')
  await expect(navigation(page).getByRole('link', { name: 'Users' })).toBeInViewport()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
})

test('the account menu closes when the focus leaves it', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto('/account')
  await page.getByRole('button', { name: 'Account menu' }).click()
  const last = page.getByRole('button', { name: 'Dark theme' })
  await last.focus()
  await page.keyboard.press('Tab')
  await expect(last).toBeHidden()
})

test('a message is a toast that moves neither the page nor the focus', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto('/account')
  const heading = page.getByRole('heading', { level: 1 })
  const before = await heading.boundingBox()
  await page.getByRole('button', { name: 'Save changes' }).click()
  const message = page.getByRole('status').locator('.flash')
  await expect(message).toHaveText('Changes saved.')
  expect(await heading.boundingBox()).toEqual(before)
  await expect(heading).toBeFocused()

  // Its time passes, but not under the pointer.
  const animations = () => message.evaluate((element) => element.getAnimations().length)
  expect(await animations()).toBe(1)
  await message.hover()
  expect(await animations()).toBe(0)
  await heading.hover()
  await message.evaluate((element) => element.getAnimations().forEach((animation) => animation.finish()))
  await expect(message).toBeHidden()
})

test('an error remains until it is dismissed', async ({ page }) => {
  await signIn(page, 'admin')
  await page.goto('/users?size=1')
  await page.route('/users?*', (route) => route.abort())
  await page.getByRole('link', { name: 'Next' }).click()
  const message = page.getByRole('status').locator('.flash')
  await expect(message).toContainText('The server can’t be reached.')
  expect(await message.evaluate((element) => element.getAnimations().length)).toBe(0)
  await message.getByRole('button', { name: 'Dismiss' }).click()
  await expect(message).toHaveCount(0)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } })

  test('a message is above the page, and a user chooses the theme in the account menu', async ({ page }) => {
    await signIn(page, 'alice')
    await page.goto('/account')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const message = await page.getByText('Changes saved.').boundingBox()
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox()
    expect(message!.y + message!.height).toBeLessThan(heading!.y)

    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('button', { name: 'Dark theme' }).click()
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  })
})

test('the pages for signing in are a card in the middle, without a second way to sign in', async ({
  page,
}) => {
  const widths = []
  for (const path of ['/login', '/signup', '/password-reset']) {
    await page.goto(path)
    const card = await page.locator('main > .card').first().boundingBox()
    const main = await page.getByRole('main').boundingBox()
    widths.push(card!.width)
    expect(card!.x - main!.x).toBeCloseTo(main!.x + main!.width - card!.x - card!.width, 0)
  }
  expect(new Set(widths).size).toBe(1)
  await page.goto('/login')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toHaveCount(0)
})

test('the settings of a page have one width, and its headings begin where a list does', async ({ page }) => {
  await signIn(page, 'admin')
  await page.setViewportSize({ width: 1920, height: 900 })
  await page.goto('/account')
  const edges = await page
    .locator('main > .setting > :last-child')
    .evaluateAll((parts) =>
      parts.map((part) => part.getBoundingClientRect()).map(({ x, right }) => [x, right]),
    )
  expect(edges.length).toBeGreaterThan(2)
  expect(new Set(edges.map(String)).size).toBe(1)
  const headings = await page
    .locator('main h1, .setting > :first-child > h2')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x))
  await page.goto('/users')
  const list = await page.locator('main .records').boundingBox()
  expect(new Set([...headings, list!.x]).size).toBe(1)
  const navigationWidth = (await navigation(page).boundingBox())!.width
  expect(list!.x - navigationWidth).toBeCloseTo(1920 - list!.x - list!.width, 0)
})
