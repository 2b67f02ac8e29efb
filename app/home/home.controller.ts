import { type Handler, publicRoute, render, routes } from 'pergola'

const index: Handler = (_req, res) => render(res, 'home/index')

export const homeRoutes = routes('', { 'GET /': [publicRoute(), index] })
