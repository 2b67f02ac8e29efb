import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessible,
  expectLargeTargets,
  isMarked,
  type Look,
  mailedLink,
  mark,
  requestLink,
  signIn,
  test,
} from './support.ts'

/** Every page, in each of its visually different states. */
const PAGES: Record<string, (page: Page) => Promise<unknown>> = {
  'the home page': (page) => page.goto('/'),
  'the sign-in page': (page) => page.goto('/login'),
  'a rejected sign-in': async (page) => {
    await page.goto('/login')
    await page.getByLabel('Email').fill('nobody@example.test')
    await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
  },
  'the sign-up page': (page) => page.goto('/signup'),
  'a rejected sign-up': async (page) => {
    await page.goto('/signup')
    await page.locator('form[action="/signup"] button').click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
  },
  'the page after a request for a link': (page) => page.goto('/check-mail'),
  'the form for a forgotten password': (page) => page.goto('/password-reset'),
  'a link that is not valid': (page) => page.goto('/password-reset/new?token=used'),
  'the link of an address, for a guest': (page) => page.goto('/account/address/confirm?token=x'),
  'the form of a new account': async (page) => {
    const email = `${randomUUID()}@example.org`
    await page.goto('/signup')
    await requestLink(page, email)
    await page.goto(await mailedLink(page, email, 'Finish your sign-up'))
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
  },
  'the form for a new password': async (page) => {
    await page.goto('/password-reset')
    await requestLink(page, 'bob@example.test')
    await page.goto(await mailedLink(page, 'bob@example.test', 'Set a new password'))
  },
  'a rejected change of the address': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/account/address')
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
  },
  'the confirmation of an address': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/account/verification')
  },
  'the users': async (page) => {
    await signIn(page, 'admin')
    await page.goto('/users')
  },
  'the users after a swap of the list': async (page) => {
    await signIn(page, 'admin')
    await page.goto('/users?size=1')
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByRole('heading', { level: 1, name: 'Users, page 2' }).waitFor()
  },
  'a user': async (page) => {
    await signIn(page, 'admin')
    await openUser(page, 'Bob')
  },
  'a user with a rejected form': async (page) => {
    await signIn(page, 'admin')
    await openUser(page, 'Bob')
    await page.locator('[name=access]').evaluate((input) => input.setAttribute('value', 'sometimes'))
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByRole('button', { name: 'Disable the user' }).click()
    await page.getByRole('alert').filter({ hasText: 'enabled or disabled' }).waitFor()
  },
  'the security events': async (page) => {
    await signIn(page, 'admin')
    await page.goto('/security-events')
    await page.getByRole('cell', { name: 'Signed in' }).first().waitFor()
  },
  'the security events of a kind that did not occur': async (page) => {
    await signIn(page, 'admin')
    await page.goto('/security-events?kind=account-enabled&target_id=999999')
  },
  'the security events of the own account': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/account/security-events')
    await page.getByRole('cell', { name: 'Signed in' }).first().waitFor()
  },
  'the jobs': async (page) => {
    await signIn(page, 'admin')
    await page.goto('/background-jobs')
  },
  'the account, ending a session': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/account')
    await page.locator('td').getByRole('button').first().click()
  },
  'a rejected name': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/account')
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
  },
  'a rejected password change': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/account/password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
  },
  'the confirmation of a password, after a refused change': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/account/confirm?return_to=/account/delete&refused=true')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
  },
  'the deletion of an account': async (page) => {
    await signIn(page, 'alice')
    await page.goto('/account/delete')
  },
  'an unknown URL': (page) => page.goto('/nowhere'),
}

async function openUser(page: Page, name: string): Promise<void> {
  // The first users are on the last page.
  await page.goto('/users?size=100')
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

/** Pages that are tested in all four looks. The others are tested narrow and dark, and wide and light. */
const IN_EVERY_LOOK = ['the users', 'a rejected name']

const EVERY_LOOK = [360, 1440].flatMap((width): Look[] => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
])

for (const [name, open] of Object.entries(PAGES)) {
  test(`${name} passes axe and fits the window, light and dark, narrow and wide`, async ({ page }) => {
    await open(page)
    await expectAccessible(page, ...(IN_EVERY_LOOK.includes(name) ? [EVERY_LOOK] : []))
  })
}

test('the skip link is the first tab stop and leads to the content', async ({ page }) => {
  await page.goto('/nowhere')
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: /skip/i })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#main$/)
})

test('click targets are large enough', async ({ page }) => {
  await signIn(page, 'admin')
  for (const path of ['/users?size=1', '/account', '/_dev/components']) {
    await page.goto(path)
    await expectLargeTargets(page)
  }
})

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 800 } })

  test('buttons are 44 pixels high, and the actions of rows are visible', async ({ page }) => {
    await page.goto('/_dev/components')
    for (const name of ['Primary', 'Menu', 'Save'])
      expect(
        (await page.getByRole('button', { name, exact: true }).last().boundingBox())?.height,
      ).toBeGreaterThanOrEqual(44)
    await expect(page.getByRole('link', { name: 'Edit Task 1' })).toHaveCSS('opacity', '1')
  })
})

test('with a mouse, the actions of a row appear under the pointer and the focus', async ({ page }) => {
  await page.goto('/_dev/components')
  const action = page.getByRole('link', { name: 'Edit Task 1' })
  await expect(action).toHaveCSS('opacity', '0')
  await page.getByRole('row', { name: 'Task 1' }).hover()
  await expect(action).toHaveCSS('opacity', '1')
  await page.getByRole('heading', { level: 1 }).hover()
  await expect(action).toHaveCSS('opacity', '0')
  await action.focus()
  await expect(action).toHaveCSS('opacity', '1')
})

test('forced colours mark the entry of the current page, and no other', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/_dev/components')
  const tab = (name: string) => page.getByRole('link', { name, exact: true })
  await expect(tab('Overview')).toHaveCSS('text-decoration-line', 'underline')
  await expect(tab('Tasks')).toHaveCSS('text-decoration-line', 'none')
  await signIn(page, 'admin')
  await page.goto('/users')
  const entry = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
  await expect(entry('Users')).toHaveCSS('text-decoration-line', 'underline')
  await expect(entry('Security events')).toHaveCSS('text-decoration-line', 'none')
})

test('with reduced motion, the loading bar does not move', async ({ page }) => {
  await page.goto('/')
  await page.evaluate(() => document.querySelector('main')?.classList.add('htmx-request'))
  const animation = () => page.evaluate(() => getComputedStyle(document.body, '::before').animationName)
  expect(await animation()).toBe('loading')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await animation()).toBe('appear')
})

test('the live region remains in the DOM after a swap of the whole page', async ({ page }) => {
  await signIn(page, 'alice')
  await page.goto('/account')
  await mark(page)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByRole('status')).toHaveText('Changes saved.')
  expect(await isMarked(page)).toEqual({ header: false, status: true })
})
