import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The command line's tests; in the mode `scaffold` its slow ones, which scaffold into whole clones. */
export default defineConfig(({ mode }) => ({
  test: {
    // Commands run in the root of the project, wherever they are called from.
    root: join(import.meta.dirname, '..'),
    include: [mode === 'scaffold' ? 'cli/**/*.matrix.ts' : 'cli/**/*.test.ts'],
    globalSetup: ['app/test/global-setup.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
    // One file for half an hour: every test is told when it ends.
    ...(mode === 'scaffold' && { reporters: ['verbose'] }),
  },
}))
