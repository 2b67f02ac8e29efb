import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { figuresReporter } from 'pergola/lab'

/**
 * Suites of processes: the application of this repository, as its server starts it. The modes `faults`, `abuse` and
 * `cluster` run slow ones in production mode, each file with a Postgres of its own. `engines` runs the usual ones with
 * statements that every engine understands.
 */
export default defineConfig(({ mode }) => {
  const isSlow = ['faults', 'abuse', 'cluster'].includes(mode)
  return {
    test: {
      // The programs of the suites start in the folder of the repository.
      root: join(import.meta.dirname, '../../../..'),
      // Slow ones of the application's owner may be anywhere.
      include: isSlow ? [`app/**/*.${mode}.ts`] : ['app/framework/lab/suites/processes/*.test.ts'],
      globalSetup: isSlow ? [] : ['app/test/global-setup.ts'],
      setupFiles: mode === 'engines' ? ['app/framework/lab/engines/engines-setup.ts'] : [],
      env: { NODE_ENV: 'test' },
      pool: 'forks',
      maxWorkers: isSlow ? 1 : 2,
      testTimeout: isSlow ? 300_000 : 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      restoreMocks: true,
      ...(isSlow && { reporters: ['verbose', figuresReporter] }),
    },
  }
})
