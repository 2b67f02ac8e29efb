import { defineConfig } from 'vitest/config'

/** What each mode runs: tests; `bench`, the measurements, which report and never fail; `scaffold`, whole clones with a resource more. */
const FILES: Record<string, string[]> = {
  bench: ['app/**/*.bench.ts'],
  scaffold: ['cli/**/*.matrix.ts'],
}

export default defineConfig(({ mode }) => ({
  test: {
    include: FILES[mode] ?? ['app/**/*.test.ts', 'cli/**/*.test.ts'],
    globalSetup: ['app/test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: mode === 'bench' ? 1 : 2,
    testTimeout: mode === 'bench' ? 600_000 : 20_000,
    expect: { poll: { timeout: 10_000 } },
    restoreMocks: true,
    // One file for half an hour: every test is told when it ends.
    ...(mode === 'scaffold' && { reporters: ['verbose'] }),
  },
}))
