import { type Handler, policyContext, publicRoute, render, routes } from 'pergola'
import { configOf, resourcesOf } from '#app/config-of.ts'
import { latestRecords } from './latest-records.ts'

const index: Handler = async (req, res) => {
  const { session } = await policyContext(req)
  await render(res, 'home/index', {
    latest: session === null ? [] : await latestRecords(req, resourcesOf(req)),
    isDevelopment: configOf(req).profile === 'development',
  })
}

export const homeRoutes = routes('', { 'GET /': [publicRoute(), index] })
