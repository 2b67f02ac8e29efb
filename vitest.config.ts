import { defineConfig } from 'vitest/config'

/** The application's tests. `npm run test:framework` and `npm run test:cli` have configurations of their own. */
export default defineConfig({
  test: {
    include: ['app/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'app/framework/**'],
    globalSetup: ['app/test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
  },
})
