import { defineConfig } from 'vitest/config'

/** The application's tests. The framework and the command line have configurations of their own. */
export default defineConfig({
  test: {
    include: ['app/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'app/framework/**'],
    globalSetup: ['app/test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
  },
})
