import { defineConfig } from 'vitest/config'

/** Tests that switch capabilities off themselves, and those of jobs and mails, which need advisory locks. */
const NOT_FOR_ENGINES = [
  'test/engines.test.ts',
  'src/jobs/**',
  'testing/run-jobs.test.ts',
  'test/mail*.test.ts',
]

/**
 * Configures the tests of the package. The mode `bench` runs its benchmarks, which print their results and never fail. The
 * mode `engines` refuses statements that only Postgres understands.
 * The tests use no file outside of this folder, so that they also run in a copy of it.
 */
export default defineConfig(({ mode }) => ({
  test: {
    root: import.meta.dirname,
    include: [mode === 'bench' ? 'bench/**/*.bench.ts' : '{src,testing,test,bench,lab}/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'lab/suites/**',
      ...(mode === 'engines' ? NOT_FOR_ENGINES : []),
      ...(process.env.PERGOLA_PLAIN === undefined ? [] : ['src/speed/**']),
    ],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: mode === 'engines' ? ['lab/engines/engines-setup.ts'] : [],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: mode === 'bench' ? 1 : 2,
    testTimeout: mode === 'bench' ? 600_000 : 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
  },
}))
