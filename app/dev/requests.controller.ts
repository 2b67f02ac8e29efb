import { type Handler, NotFound, policyContext, publicRoute, render, routes } from 'pergola'

// Imported at the first request, because servers in production import this file.
const pages = () => import('pergola/dev')

const index: Handler = async (req, res) => {
  const { requestsPage } = await pages()
  const page = requestsPage()
  if (req.accepts(['html', 'json']) === 'json') res.json(page.requests)
  else await render(res, 'dev/requests', page)
}

const show: Handler = async (req, res) => {
  const { requestPage } = await pages()
  const page = requestPage(await policyContext(req), String(req.params['id']))
  if (page === null) throw new NotFound()
  await render(res, 'dev/request', page)
}

const plan: Handler = async (req, res) => {
  const { planPage } = await pages()
  const page = await planPage(String(req.params['id']), Number(req.params['number']))
  if (page === null) throw new NotFound()
  await render(res, 'dev/plan', page)
}

/** What the last requests did. */
export const requestRoutes = routes('/_dev/requests', {
  'GET /': [publicRoute(), index],
  'GET /:id': [publicRoute(), show],
  'GET /:id/plans/:number': [publicRoute(), plan],
})
