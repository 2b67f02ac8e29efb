import { defineConfig } from 'vitest/config'

/** The package's tests. Nothing here reaches out of this folder: they run in a copy of it, too. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['{src,testing,test}/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
    restoreMocks: true,
  },
})
