import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { type Handler, publicRoute, routes } from 'pergola'
import { application } from './application.ts'
import { contestantEnvironment } from './environment.ts'

/**
 * Starts the application of this clone as a contestant of a comparison: the unchanged `app/server.ts` in its production
 * profile, with one more route that signs in without a password. With the argument `batch`, reads all posts in batches
 * instead.
 */
Object.assign(process.env, contestantEnvironment(process.env))
if (process.argv[2] === 'batch') await import('./batch.ts')
else await serve()

async function serve(): Promise<void> {
  const { resources } = await application('resources.ts')
  const { startSession } = await application('sessions/session.ts')
  const signIn: Handler = async (req, res) => {
    await startSession(req, Number(req.query['uid']))
    res.json({})
  }
  const [first] = resources
  if (first === undefined) throw new Error('The application has no resources.')
  const benchRoutes = routes('/bench', { 'GET /login': [publicRoute(), signIn] })
  resources[0] = { ...first, routes: { ...first.routes, benchRoutes } }
  // The requests of a comparison name no version. The posts have one, so that an update requires it.
  subscribe('http.server.request.start', (message) => {
    ;(message as { request: IncomingMessage }).request.headers['if-match'] ??= '*'
  })
  await application('server.ts')
}
