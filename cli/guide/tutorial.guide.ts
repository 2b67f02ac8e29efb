import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { openBrowser } from '../test/browser.ts'
import { greetingMailServer } from '../test-support/greeting-mail-server.ts'
import { guideProject } from './guide-project.ts'
import { readPage } from './read-page.ts'
import { checkProject, runSteps, untestedFolders } from './run-page.ts'

// `npm run pergola -- test:docs`: follows the tutorial in a clone of the last commit, and looks at what each step promises.
const PAGE = 'docs/tutorial.md'
const root = join(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'tutorial-'))
const { adminUrl, prefix } = inject('databases')
const production = databaseUrl(adminUrl, `${prefix}production`)

await createDatabase(adminUrl, `${prefix}empty`)
await createDatabase(adminUrl, `${prefix}production`)
const project = await guideProject(join(scratch, 'helpdesk'), `${prefix}tutorial`, {
  adminUrl,
  template: `${prefix}empty`,
})
const browser = await openBrowser()
afterAll(async () => {
  await browser.close()
  await project.close()
  rmSync(scratch, { recursive: true, force: true })
})

// The reader has a database, a mail server and a secret of their own.
const markdown = readFileSync(join(root, PAGE), 'utf8')
  .replace('postgres://helpdesk:password@db.example.org/helpdesk', `'${production}'`)
  .replace('smtp://user:password@smtp.example.org:587', await greetingMailServer())
  .replace(/replace-this-by-the-output-of\S+/, randomBytes(32).toString('base64'))
const steps = readPage(PAGE, markdown)

/** The pages of users who are signed in, by their names. */
const pages = new Map<string, Page>()

async function pageOf(name: 'alice' | 'bob'): Promise<Page> {
  const page = pages.get(name) ?? (await (await browser.newContext({ baseURL: project.address() })).newPage())
  if (!pages.has(name)) {
    pages.set(name, page)
    const form = { email: `${name}@example.test`, password: 'pergola-demo' }
    await page.request.post('/login', { form, maxRedirects: 0 })
  }
  return page
}

/** Loads the page until it contains this text: the development server may be restarting. */
const expectText = (page: Page, path: string, text: string | RegExp) =>
  expect
    .poll(
      async () => {
        await page.goto(path)
        return page.locator('body').innerText()
      },
      { interval: 1_000 },
    )
    .toMatch(text)

/** Creates a ticket as Alice, and stays on its page. */
async function createTicket(title: string): Promise<Page> {
  const page = await pageOf('alice')
  await page.goto('/tickets/new')
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Body').fill('It burns.')
  await page.getByRole('button', { name: 'Create ticket' }).click()
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  return page
}

async function closeTicket(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Mark as closed' }).click()
  await page.getByRole('status').getByText('Ticket marked as closed.').waitFor()
}

/** The checks at the end of each step, by its heading: they look at the pages as the reader does. */
const sights: Record<string, () => Promise<void>> = {
  '1. Start': async () => {
    await expectText(await pageOf('alice'), '/', /Hello, Alice/)
    await expectText(await pageOf('alice'), '/posts', /Posts/)
  },
  '2. Scaffold tickets': async () => {
    await expectText(await pageOf('alice'), '/tickets', /New ticket/)
    await createTicket('The printer is on fire')
  },
  '3. A rule of your own': async () => {
    const page = await pageOf('bob')
    await expectText(page, '/tickets?q=printer', /The printer is on fire/)
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(1)
  },
  '4. Actions that change the state': async () => {
    await expectText(await pageOf('alice'), '/tickets', /New ticket/)
    const page = await createTicket('The second fire')
    await closeTicket(page)
    await page.getByRole('button', { name: 'Mark as open' }).waitFor()
    expect(await page.getByRole('definition').allInnerTexts()).toContain('Closed')
  },
  '5. Comments below a ticket': async () => {
    await expectText(await pageOf('alice'), '/tickets', /New ticket/)
    const page = await createTicket('The third fire')
    // A swap of the whole page would replace the heading.
    await page.locator('h1').evaluate((heading) => heading.setAttribute('data-marked', ''))
    await page.getByLabel('Body').fill('It still burns.')
    await page.getByRole('button', { name: 'Add comment' }).click()
    await page.getByRole('region', { name: 'Comments' }).getByText('It still burns.').waitFor()
    expect(await page.locator('h1[data-marked]').count()).toBe(1)
  },
  '6. A job that sends mails': async () => {
    await expectText(await pageOf('alice'), '/tickets', /New ticket/)
    const page = await createTicket('The last fire')
    await closeTicket(page)
    await expectText(page, '/_dev/mail', /Ticket closed\s+alice@example.test/)
  },
  '7. Deploy': async () => {
    expect((await fetch(`${project.address()}/readyz`)).status).toBe(200)
  },
}

describe('docs/tutorial.md', () => {
  it.each(Object.keys(sights))('leads to what the reader sees: %s', async (section) => {
    await runSteps(
      project,
      steps.filter(({ at }) => at.section === section),
    )
    await expect(sights[section]?.()).resolves.toBeUndefined()
  })

  it('has no other steps, and leaves a project that passes every check', async () => {
    expect(steps.filter(({ at }) => !Object.hasOwn(sights, at.section))).toEqual([])
    expect(await untestedFolders(project, steps)).toEqual([])
    await expect(checkProject(project)).resolves.toBeUndefined()
  })
})
