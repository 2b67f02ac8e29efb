import { defineConfig } from 'vitest/config'

/**
 * The application's tests. `npm run test:framework` and `npm run test:cli` have configurations of their own. The mode
 * `engines` runs the usual tests, with statements that every engine understands.
 */
export default defineConfig(({ mode }) => ({
  test: {
    include: ['app/**/*.test.ts'],
    // Jobs need advisory locks, which some engines lack.
    exclude: [
      '**/node_modules/**',
      'app/framework/**',
      ...(mode === 'engines' ? ['app/jobs/background-jobs.test.ts'] : []),
    ],
    globalSetup: ['app/test/global-setup.ts'],
    setupFiles: mode === 'engines' ? ['app/framework/lab/engines/engines-setup.ts'] : [],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
  },
}))
