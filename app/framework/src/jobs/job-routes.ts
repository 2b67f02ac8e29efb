import type { Request } from 'express'
import { flash } from '../http/views/flash.ts'
import { render } from '../http/views/render.ts'
import type { Access, Guard, Handler, Routes } from '../http/routes/route-types.ts'
import { routes } from '../http/routes/routes.ts'
import { discardJobs, type JobChoice, retryJobs } from './dead-letters.ts'
import { countJobs, failedJobs, waitingJobs } from './list-jobs.ts'

/**
 * Returns the routes of a page that lists jobs, runs failed jobs again, runs delayed jobs at once, and discards jobs: `?id=`
 * one of them, `?name=` all failed jobs with this name. The page is the application's view `background_jobs/index`, which receives the lists and
 * `jobsPath`. `guards` are those of each route:
 *
 * ```ts
 * jobRoutes: jobRoutes('/background-jobs', [secured('admin'), recentlyConfirmed('1 hour')])
 * ```
 */
export function jobRoutes<const Base extends string>(
  base: Base,
  guards: readonly [Access, ...Guard[]],
): Routes<Base> {
  const index: Handler = async (_req, res) => {
    const [counts, failed, waiting] = await Promise.all([countJobs(), failedJobs(), waitingJobs()])
    await render(res, 'background_jobs/index', { counts, failed, waiting, jobsPath: base })
  }
  const change =
    (action: (choice: JobChoice) => Promise<number>, outcome: string): Handler =>
    async (req, res) => {
      const count = await action(choiceOf(req))
      if (count === 0) await flash(req, 'The job has run or was discarded.', 'alert')
      else await flash(req, `${count} ${count === 1 ? 'job' : 'jobs'} ${outcome}.`)
      res.redirect(303, base)
    }
  return routes(base, {
    'GET /': [...guards, index],
    'POST /': [...guards, change(retryJobs, 'will run now')],
    'DELETE /': [...guards, change(discardJobs, 'discarded')],
  })
}

function choiceOf({ query }: Request): JobChoice {
  const { id, name } = query
  return typeof name === 'string' ? { name } : { ids: typeof id === 'string' ? [id] : [] }
}
