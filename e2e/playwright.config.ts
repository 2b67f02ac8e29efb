import { join } from 'node:path'
import { defineConfig } from '@playwright/test'

// `npm test` chooses a free port and a browser. By hand: CHROMIUM_PATH=… npx playwright test --config e2e
const port = process.env['E2E_PORT'] ?? '3210'
const baseURL = `http://127.0.0.1:${port}`
const isRoot = process.getuid?.() === 0

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  workers: 2,
  fullyParallel: true,
  retries: 0,
  // Only for tests that hang: a busy machine needs many times the usual seconds.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env['CI']),
  use: {
    baseURL,
    // Traces would double the run time. Add `--trace on` to debug a failed test.
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(process.env['CHROMIUM_PATH'] && { executablePath: process.env['CHROMIUM_PATH'] }),
      args: [
        // Chromium's sandbox doesn't work for root, the user of most containers.
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
  webServer: {
    command: 'node app/test/browser-server.ts',
    cwd: join(import.meta.dirname, '..'),
    // A busy machine refuses no request of a test.
    env: { PORT: port, NODE_ENV: 'test', SERVER__QUEUE_TIMEOUT_MS: '60000' },
    url: `${baseURL}/readyz`,
    timeout: 180_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
  },
})
