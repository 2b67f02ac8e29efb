import { defineConfig } from 'vitest/config'

/**
 * Configures the tests of the package. The mode `bench` runs its benchmarks, which print their results and never fail. The
 * mode `engines` refuses statements that only Postgres understands.
 * The tests use no file outside of this folder, so that they also run in a copy of it.
 */
export default defineConfig(({ mode }) => ({
  test: {
    root: import.meta.dirname,
    include: [mode === 'bench' ? 'bench/**/*.bench.ts' : '{src,testing,test,bench}/**/*.test.ts'],
    // They switch capabilities off themselves.
    exclude: mode === 'engines' ? ['**/node_modules/**', 'test/engines.test.ts'] : ['**/node_modules/**'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: mode === 'engines' ? ['testing/engines-setup.ts'] : [],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: mode === 'bench' ? 1 : 2,
    testTimeout: mode === 'bench' ? 600_000 : 20_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
  },
}))
