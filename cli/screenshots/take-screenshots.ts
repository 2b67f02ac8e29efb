import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { findBrowser } from '../test/browser.ts'

const PAGES = { posts: '/posts?page=3', tickets: '/tickets' }

const WINDOWS = {
  desktop: { width: 1200, height: 760 },
  phone: { width: 390, height: 760 },
}

const COLOR_SCHEMES = ['light', 'dark'] as const

interface Look {
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: (typeof COLOR_SCHEMES)[number]
}

/**
 * Takes a picture of each page in each window and color scheme, such as `posts-phone-dark.png`. The one in a desktop
 * window with the light scheme is `posts.png`. Returns their paths.
 */
export async function takeScreenshots(url: string, folder: string): Promise<string[]> {
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  const files: string[] = []
  for (const [window, viewport] of Object.entries(WINDOWS))
    for (const colorScheme of COLOR_SCHEMES) {
      const suffix = (window === 'phone' ? '-phone' : '') + (colorScheme === 'dark' ? '-dark' : '')
      files.push(
        ...(await takePages(browser, url, { viewport, colorScheme }, join(folder, `*${suffix}.png`))),
      )
    }
  await browser.close()
  return files
}

/** Takes the pages in one look, as the demo account of Alice. `*` in the path stands for the name of the page. */
async function takePages(browser: Browser, url: string, look: Look, path: string): Promise<string[]> {
  const context = await browser.newContext({
    ...look,
    reducedMotion: 'reduce',
    locale: 'en',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  const signIn = { form: { email: 'alice@example.test', password: 'pergola-demo' }, maxRedirects: 0 }
  await page.request.post(`${url}/login`, signIn)
  const files: string[] = []
  for (const [name, address] of Object.entries(PAGES)) {
    const file = path.replace('*', name)
    await page.goto(url + address, { waitUntil: 'load' })
    await page.screenshot({ path: file })
    files.push(file)
  }
  await context.close()
  return files
}
