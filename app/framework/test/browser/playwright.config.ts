import { existsSync } from 'node:fs'
import { chromium, defineConfig } from '@playwright/test'

const isRoot = process.getuid?.() === 0

/** Each worker starts the fixture application with its own database: see support.ts. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results',
  workers: 2,
  fullyParallel: true,
  retries: 0,
  // Only for tests that hang: a busy machine needs many times the usual seconds.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env['CI']),
  use: {
    // Traces would double the duration of the tests. To debug a failed test, add `--trace on`.
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: browserPath(),
      args: [
        // Chromium's sandbox refuses to run as root, which is the user in most containers.
        ...(isRoot ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})

/** Throws if no browser is installed. Otherwise every test would fail with the same message. */
function browserPath(): string {
  const path = process.env['CHROMIUM_PATH'] || chromium.executablePath()
  if (existsSync(path)) return path
  throw new Error(
    `The browser tests found no browser at ${path}. Set CHROMIUM_PATH=/path/to/chromium, ` +
      'or run: npx playwright install chromium',
  )
}
