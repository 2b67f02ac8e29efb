import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type ConsoleMessage, expect, type Locator, type Page, test as base } from '@playwright/test'

export interface FixtureServer {
  readonly url: string
  readonly end: () => Promise<void>
}

/** Starts the fixture application in another process. */
export async function startServer(): Promise<FixtureServer> {
  const child = fork(join(import.meta.dirname, 'server.ts'), { env: { ...process.env, NODE_ENV: 'test' } })
  const exit = once(child, 'exit')
  const started = once(child, 'message') as Promise<[url: string]>
  const [url] = await Promise.race([started, exit.then(endedEarly)])
  return {
    url,
    async end() {
      child.disconnect()
      await exit
    },
  }
}

function endedEarly([code]: unknown[]): never {
  throw new Error(`The fixture application ended with exit code ${String(code)} before it listened.`)
}

/** Chromium logs every error response. Tests expect them for pages, but not for assets. */
function isExpected(message: ConsoleMessage, page: Page): boolean {
  const { url } = message.location()
  const isPage = !url.includes('/assets/') && url.startsWith(new URL(page.url()).origin)
  return (
    /Autofocus processing was blocked/.test(message.text()) ||
    (isPage && /Failed to load resource/.test(message.text()))
  )
}

/** Makes a test fail if a page violates its Content-Security-Policy, throws, opens a dialog or logs an error. */
export const test = base.extend<{ quiet: void }, { server: FixtureServer }>({
  server: [
    async ({}, use) => {
      const server = await startServer()
      await use(server)
      await server.end()
    },
    { scope: 'worker' },
  ],
  baseURL: ({ server }, use) => use(server.url),
  quiet: [
    async ({ page }, use) => {
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' && !isExpected(message, page)) problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('dialog', async (dialog) => {
        problems.push(`a dialog: ${dialog.message()}`)
        await dialog.dismiss()
      })
      await use()
      expect(problems).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/** Defines the same tests twice: with JavaScript and without it. */
export function describeBoth(name: string, define: (javaScriptEnabled: boolean) => void): void {
  for (const javaScriptEnabled of [true, false]) {
    test.describe(`${name} ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
      test.use({ javaScriptEnabled })
      define(javaScriptEnabled)
    })
  }
}

/** Returns the title of a page with this heading, which the application's name follows. */
export const titled = (heading: string): string => `${heading} · Fixture`

export async function signIn(page: Page, name: 'admin' | 'alice' | 'bob'): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email').fill(`${name}@example.test`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
}

/** Presses Tab once for each focusable element up to this one, and expects the focus there. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  const presses = await element.evaluate((target) => {
    const stops = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'
    const follows = (one: Node, other: Node) =>
      Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
    const start = document.activeElement ?? document.body
    const between = [...document.querySelectorAll(stops)].filter(
      (stop) => stop.checkVisibility() && follows(start, stop) && !follows(target, stop),
    )
    return between.length
  })
  for (let pressed = 0; pressed < presses; pressed++) await page.keyboard.press('Tab')
  await expect(element).toBeFocused()
}

/** Marks elements from JavaScript. A swap that replaces an element loses its mark. */
export const mark = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const selector of ['body > header', '#status'])
      Object.assign(document.querySelector(selector) ?? {}, { isMarked: true })
  })

export const isMarked = (page: Page): Promise<{ header: boolean; status: boolean }> =>
  page.evaluate(() => {
    const has = (selector: string) => 'isMarked' in (document.querySelector(selector) ?? {})
    return { header: has('body > header'), status: has('#status') }
  })

export const hrefsOf = (links: Locator): Promise<(string | null)[]> =>
  links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))

export const REASON = 'The gardener is away.'

const failure = `<!doctype html><html><head><title>Error</title></head><body><main><h1 tabindex="-1" autofocus>It broke</h1>
  <p id="problem-text">${REASON}</p></main></body></html>`

/** Responds to the next request for a matching URL with this status. Later requests reach the server. */
export const failOnce = (page: Page, url: RegExp, status: number): Promise<unknown> =>
  page.route(url, (route) => route.fulfill({ status, contentType: 'text/html', body: failure }), { times: 1 })
