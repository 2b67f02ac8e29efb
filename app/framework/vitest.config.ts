import { defineConfig } from 'vitest/config'

/**
 * The package's tests; in the mode `bench` its measurements, which report and never fail. Nothing here reaches out of
 * this folder: they run in a copy of it, too.
 */
export default defineConfig(({ mode }) => ({
  test: {
    root: import.meta.dirname,
    include: [mode === 'bench' ? 'bench/**/*.bench.ts' : '{src,testing,test,bench}/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: mode === 'bench' ? 1 : 2,
    testTimeout: mode === 'bench' ? 600_000 : 20_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
  },
}))
