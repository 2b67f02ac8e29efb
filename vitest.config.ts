import { defineConfig } from 'vitest/config'

/** Tests; with `--mode bench` the measurements, which report and never fail. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === 'bench' ? ['app/**/*.bench.ts'] : ['app/**/*.test.ts', 'cli/**/*.test.ts'],
    globalSetup: ['app/test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: mode === 'bench' ? 1 : 2,
    testTimeout: mode === 'bench' ? 600_000 : 20_000,
    expect: { poll: { timeout: 10_000 } },
    restoreMocks: true,
  },
}))
