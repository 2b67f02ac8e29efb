import { defineConfig } from 'vitest/config'

/** The application's tests. `npm run test:framework` and `npm run test:cli` have configurations of their own. */
export default defineConfig(({ mode }) => ({
  test: {
    include: [mode === 'bench' ? 'app/**/*.bench.ts' : 'app/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'app/framework/**'],
    globalSetup: ['app/test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: mode === 'bench' ? 1 : 2,
    testTimeout: mode === 'bench' ? 600_000 : 20_000,
    expect: { poll: { timeout: 10_000 } },
    restoreMocks: true,
  },
}))
