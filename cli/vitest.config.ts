import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The tests of the command line. The mode `scaffold` runs only the slow tests, which scaffold into clones. */
export default defineConfig(({ mode }) => ({
  test: {
    // Commands run in the root of the project.
    root: join(import.meta.dirname, '..'),
    include: [mode === 'scaffold' ? 'cli/**/*.matrix.ts' : 'cli/**/*.test.ts'],
    globalSetup: ['app/test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
    // Reports each test when it ends, because a file of the mode `scaffold` can take half an hour.
    ...(mode === 'scaffold' && { reporters: ['verbose'] }),
  },
}))
