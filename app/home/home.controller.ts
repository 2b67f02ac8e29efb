import { type Handler, publicRoute, render, routes } from 'pergola'
import type { Config } from '#app/config.ts'

export function homeRoutes({ profile }: Config) {
  const index: Handler = (_req, res) =>
    render(res, 'home/index', { isDevelopment: profile === 'development' })

  return routes('', { 'GET /': [publicRoute(), index] })
}
