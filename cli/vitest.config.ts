import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The file endings of the slow tests, which run in clones: those of the scaffold, and those of the documents. */
const SLOW: Record<string, string> = { scaffold: 'matrix', docs: 'guide' }

/** The tests of the command line. The modes `scaffold` and `docs` run only slow ones. */
export default defineConfig(({ mode }) => ({
  test: {
    // Commands run in the root of the project.
    root: join(import.meta.dirname, '..'),
    include: [`cli/**/*.${SLOW[mode] ?? 'test'}.ts`],
    // They are tests of an application that has the add-on.
    exclude: ['cli/add-ons/*/files/**'],
    globalSetup: ['app/test/global-setup.ts', 'cli/test-support/compiled-code.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    // The tests of a clone run in two workers and in browsers of their own.
    maxWorkers: SLOW[mode] === undefined ? 2 : 1,
    // Only for a test that hangs: on a busy machine, a test of many commands takes minutes, and one of a clone an hour.
    testTimeout: SLOW[mode] === undefined ? 600_000 : 3_600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: SLOW[mode] === undefined ? 30_000 : 300_000 } },
    restoreMocks: true,
    // Reports each test when it ends, because a file of slow tests can take half an hour.
    ...(SLOW[mode] !== undefined && { reporters: ['verbose'] }),
  },
}))
