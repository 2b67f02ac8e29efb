import { defineConfig } from 'vitest/config'

/**
 * The application's tests. `npm run test:framework` and `npm run test:cli` have configurations of their own. The modes
 * `faults` and `abuse` run slow tests of the application in production mode, each file with a Postgres of its own.
 */
export default defineConfig(async ({ mode }) => {
  const isHostile = mode === 'faults' || mode === 'abuse'
  return {
    test: {
      include: [`app/**/*.${isHostile ? mode : 'test'}.ts`],
      exclude: ['**/node_modules/**', 'app/framework/**'],
      globalSetup: isHostile ? [] : ['app/test/global-setup.ts'],
      env: { NODE_ENV: 'test' },
      pool: 'forks',
      maxWorkers: isHostile ? 1 : 2,
      testTimeout: isHostile ? 300_000 : 20_000,
      expect: { poll: { timeout: 30_000 } },
      restoreMocks: true,
      ...(isHostile && { reporters: ['verbose', (await import('pergola/testing')).figuresReporter] }),
    },
  }
})
