import { loadServerPackages } from 'pergola/app'
import { loadQueues } from 'pergola/jobs'
import { loadBrowserNames } from './sessions/browser-name.ts'
import { loadHashing } from './users/password.ts'
import { loadPasswordRules } from './users/predictable-password.ts'

/**
 * Loads what requests need and commands don't, before the server is ready: a deploy may replace the files of a running
 * process. Add the packages that your handlers import with `await import(…)`.
 */
export async function loadAhead(): Promise<void> {
  loadBrowserNames()
  loadPasswordRules()
  await Promise.all([loadServerPackages(), loadQueues(), loadHashing()])
}
