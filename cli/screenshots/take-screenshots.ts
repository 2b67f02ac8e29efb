import { join } from 'node:path'
import { openBrowser } from '../test/browser.ts'

const PAGES = { posts: '/posts?page=3', tickets: '/tickets' }

/** The widths of the windows and the color schemes, by the end of the file's name. */
const LOOKS = {
  '': [1200, 'light'],
  '-dark': [1200, 'dark'],
  '-phone': [390, 'light'],
  '-phone-dark': [390, 'dark'],
} as const

/** Takes a picture of each page in each look, such as `posts-phone-dark.png`, as the demo account of Alice. */
export async function takeScreenshots(url: string, folder: string): Promise<void> {
  const browser = await openBrowser()
  const page = await browser.newPage({ locale: 'en', timezoneId: 'UTC' })
  const signIn = { form: { email: 'alice@example.test', password: 'pergola-demo' }, maxRedirects: 0 }
  await page.request.post(`${url}/login`, signIn)
  for (const [suffix, [width, colorScheme]] of Object.entries(LOOKS)) {
    await page.setViewportSize({ width, height: 760 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(url + path, { waitUntil: 'load' })
      await page.screenshot({ path: join(folder, `${name}${suffix}.png`) })
    }
  }
  await browser.close()
}
