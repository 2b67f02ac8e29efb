import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support.ts'

// A reference to many records is a search with its results. The page of the components has two of them.
const search = (page: Page, name = 'Owner') => page.getByLabel(name, { exact: true })
const results = (page: Page, name = 'Owner') => page.getByRole('group', { name, exact: true })
const result = (page: Page, label: string, name = 'Owner') =>
  results(page, name).getByRole('radio', { name: label, exact: true })
const count = (page: Page, column = 'owner_id') => page.locator(`#${column}-count`)

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a picker finds records, keeps the choice, and has an entry for none if it is optional', async ({
      page,
    }) => {
      await page.goto('/_dev/components')
      await expect(count(page)).toHaveText('Showing the first 20. Search to find more.')
      await expect(results(page).getByRole('radio').first()).toBeChecked()
      await search(page).fill('hopper 1')
      await page.getByRole('button', { name: 'Find Owner' }).click()
      await expect(count(page)).toHaveText('Showing the first 20 results for “hopper 1”.')
      await result(page, 'Grace Hopper 14').check()

      await expect(result(page, 'None', 'Reviewer')).toBeChecked()
      await search(page, 'Reviewer').fill('no such name')
      await page.getByRole('button', { name: 'Find Reviewer' }).click()
      await expect(count(page, 'reviewer_id')).toHaveText('No results for “no such name”.')
      await expect(results(page, 'Reviewer').getByRole('radio')).toHaveCount(1)
      await search(page, 'Reviewer').fill('الخوارزمي 3')
      await page.getByRole('button', { name: 'Find Reviewer' }).click()
      await result(page, 'محمد الخوارزمي 3', 'Reviewer').check()
      await expect(result(page, 'Grace Hopper 14')).toBeChecked()

      await page.getByRole('button', { name: 'Save', exact: true }).last().click()
      await expect(result(page, 'Grace Hopper 14')).toBeChecked()
      await expect(result(page, 'محمد الخوارزمي 3', 'Reviewer')).toBeChecked()
    })

    test('a picker of several records keeps all choices, and can lose each of them', async ({ page }) => {
      const watcher = (label: string) =>
        results(page, 'Watchers').getByRole('checkbox', { name: label, exact: true })
      await page.goto('/_dev/components')
      for (const [words, label] of [
        ['hopper 1', 'Grace Hopper 14'],
        ['lovelace 9', 'Ada Lovelace 9'],
      ] as const) {
        await search(page, 'Watchers').fill(words)
        await page.getByRole('button', { name: 'Find Watchers' }).click()
        await watcher(label).check()
      }
      await expect(watcher('Grace Hopper 14')).toBeChecked()
      await page.getByRole('button', { name: 'Save', exact: true }).last().click()
      await expect(results(page, 'Watchers').getByRole('checkbox', { checked: true })).toHaveCount(2)
      await watcher('Grace Hopper 14').uncheck()
      await page.getByRole('button', { name: 'Save', exact: true }).last().click()
      await expect(results(page, 'Watchers').getByRole('checkbox', { checked: true })).toHaveCount(1)
      await expect(watcher('Ada Lovelace 9')).toBeChecked()
    })

    test('a picker works by keyboard: Enter searches, and the arrow keys choose', async ({ page }) => {
      await page.goto('/_dev/components')
      await search(page).focus()
      await page.keyboard.type('lovelace 9')
      await page.keyboard.press('Enter')
      await expect(count(page)).toHaveText('3 results for “lovelace 9”.')
      await search(page).focus()
      for (const stop of [
        page.getByRole('button', { name: 'Find Owner' }),
        results(page).getByRole('radio').first(),
      ]) {
        await page.keyboard.press('Tab')
        await expect(stop).toBeFocused()
      }
      await page.keyboard.press('ArrowDown')
      await expect(result(page, 'Ada Lovelace 9')).toBeChecked()
      await page.keyboard.press('Tab')
      await expect(search(page, 'Reviewer')).toBeFocused()
    })
  })

test.describe('while the user types', () => {
  test.beforeEach(({ page }) => page.goto('/_dev/components'))

  test('htmx replaces only the results', async ({ page }) => {
    await page.evaluate(() => {
      for (const id of ['field-owner_id', 'owner_id-count', 'reviewer_id-count'])
        Object.assign(document.getElementById(id) ?? {}, { isMarked: true })
    })
    await search(page).focus()
    await page.keyboard.type('adaX')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Delete')
    await expect(count(page)).toHaveText('Showing the first 20 results for “ada”.')
    await expect(count(page)).toHaveAttribute('aria-live', 'polite')
    const state = await page.evaluate(() => {
      const marked = [...document.querySelectorAll('*')].filter((element) => 'isMarked' in element)
      const { id, selectionStart } = document.activeElement as HTMLInputElement
      return { marked: marked.map((element) => element.id), id, selectionStart }
    })
    expect(state).toEqual({
      marked: ['field-owner_id', 'owner_id-count', 'reviewer_id-count'],
      id: 'field-owner_id',
      selectionStart: 3,
    })
    await expect(page).toHaveURL('/_dev/components')
  })

  test('the results of the last text win', async ({ page }) => {
    const slow = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await page.route(
      '/_dev/components',
      async (route) => {
        asked.resolve()
        await slow.promise
        await route.continue().catch(() => {})
      },
      { times: 1 },
    )
    await search(page).fill('hopper')
    await asked.promise
    await search(page).fill('lovelace 5')
    await expect(count(page)).toHaveText('3 results for “lovelace 5”.')
    slow.resolve()
    await page.unrouteAll({ behavior: 'wait' })
    await search(page).fill('lovelace 53')
    await expect(count(page)).toHaveText('1 result for “lovelace 53”.')
  })

  test('a choice is kept that is made before the results arrive', async ({ page }) => {
    const slow = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await page.route(
      '/_dev/components',
      async (route) => {
        asked.resolve()
        await slow.promise
        await route.continue().catch(() => {})
      },
      { times: 1 },
    )
    await search(page).fill('hopper')
    await asked.promise
    await result(page, 'Ada Lovelace 5').check()
    slow.resolve()
    await expect(count(page)).toHaveText('Showing the first 20 results for “hopper”.')
    await expect(result(page, 'Ada Lovelace 5')).toBeChecked()
    await expect(result(page, 'Ada Lovelace 5')).toBeFocused()
  })

  test('Enter searches again, and doesn’t send the form', async ({ page }) => {
    const sent: boolean[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postData()?.includes('_find=owner_id') === true)
    })
    await search(page).fill('hopper')
    await expect(count(page)).toContainText('“hopper”')
    const answer = page.waitForResponse('/_dev/components')
    await search(page).press('Enter')
    await answer
    expect(sent).toEqual([true, true])
    await expect(search(page)).toBeFocused()
  })

  test('a form that is sent meanwhile is sent once, and stored instead of searched', async ({ page }) => {
    const sent: string[] = []
    const asked = Promise.withResolvers<void>()
    const pressed = Promise.withResolvers<void>()
    await page.route('/_dev/components', async (route) => {
      const data = route.request().postData() ?? ''
      asked.resolve()
      if (data.includes('_find=')) return
      sent.push(data)
      await pressed.promise
      await route.continue()
    })
    await search(page).fill('hopper')
    await asked.promise
    const save = page.getByRole('button', { name: 'Save', exact: true }).last()
    await save.dblclick()
    await expect(save).toBeDisabled()
    pressed.resolve()
    await expect(count(page)).toContainText('“hopper”')
    // The server would search for a text that differs from the one it found.
    expect(sent).toEqual([expect.stringContaining('_found_owner_id=hopper&_find_owner_id=hopper&')])
  })

  test('an error is shown beside the field, and the results stay', async ({ page }) => {
    const body = '<p id="problem-text">Too many searches are running.</p>'
    await page.route(
      '/_dev/components',
      (route) => route.fulfill({ status: 503, contentType: 'text/html', body }),
      { times: 1 },
    )
    await search(page).fill('hopper')
    await expect(count(page)).toHaveText('Too many searches are running.')
    await expect(results(page).getByRole('radio')).toHaveCount(20)
    await expect(page.locator('#problem')).toBeEmpty()
    await search(page).press('Enter')
    await expect(count(page)).toHaveText('Showing the first 20 results for “hopper”.')
  })

  test('long names and an error pass axe at any width', async ({ page }) => {
    await search(page).fill('pablo')
    await expect(count(page)).toContainText('pablo')
    await expect(search(page, 'Reviewer')).toHaveAccessibleDescription(/This record does not exist\./)
    await expectAccessible(page)
  })
})
