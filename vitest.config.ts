import { defineConfig } from 'vitest/config'

/**
 * The application's tests. `npm run test:framework` and `npm run test:cli` have configurations of their own. The modes
 * `faults`, `abuse` and `cluster` run slow tests of the application in production mode, each file with a Postgres of its own.
 * `engines` runs the usual tests, with statements that every engine understands.
 */
export default defineConfig(async ({ mode }) => {
  const isSlow = ['faults', 'abuse', 'cluster'].includes(mode)
  return {
    test: {
      include: [`app/**/*.${isSlow ? mode : 'test'}.ts`],
      // Jobs need advisory locks, which some engines lack.
      exclude: [
        '**/node_modules/**',
        'app/framework/**',
        ...(mode === 'engines' ? ['app/test/background-jobs.test.ts'] : []),
      ],
      globalSetup: isSlow ? [] : ['app/test/global-setup.ts'],
      setupFiles: mode === 'engines' ? ['app/framework/testing/engines-setup.ts'] : [],
      env: { NODE_ENV: 'test' },
      pool: 'forks',
      maxWorkers: isSlow ? 1 : 2,
      testTimeout: isSlow ? 300_000 : 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      restoreMocks: true,
      ...(isSlow && { reporters: ['verbose', (await import('pergola/testing')).figuresReporter] }),
    },
  }
})
