import { type DeclaredResource, type Handler, policyContext, publicRoute, render, routes } from 'pergola'
import type { Config } from '#app/config.ts'
import { latestRecords } from './latest-records.ts'

export function homeRoutes({ profile }: Config, resources: readonly DeclaredResource[]) {
  const index: Handler = async (req, res) => {
    const { session } = await policyContext(req)
    await render(res, 'home/index', {
      latest: session === null ? [] : await latestRecords(req, resources),
      isDevelopment: profile === 'development',
    })
  }

  return routes('', { 'GET /': [publicRoute(), index] })
}
