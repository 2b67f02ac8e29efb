import { mergeConfig } from 'vitest/config'
import application from '../../../../vitest.config.ts'

/** The application's tests, with statements that every engine understands. Jobs need advisory locks, which some lack. */
export default mergeConfig(application, {
  test: {
    exclude: ['app/jobs/background-jobs.test.ts'],
    setupFiles: ['app/framework/lab/engines/engines-setup.ts'],
  },
})
