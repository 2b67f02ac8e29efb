import {
  type AnyRepository,
  type DeclaredResource,
  type Handler,
  publicRoute,
  render,
  type Repository,
  type Routes,
  routes,
} from 'pergola'
import { decisionMatrix, guardInWords, listRoutes, type MatrixRow, routeFacts } from 'pergola/manifest'

/** For who develops: every route with its guards, and what the policy of a record answers to whom. In development only. */
export function devRoutes(tables: readonly Routes[], resources: readonly DeclaredResource[]): Routes {
  const repositories = resources.map(({ repository }) => repository)

  const showRoutes: Handler = async (req, res) => {
    const asked = { resource: textOf(req.query['resource']), id: textOf(req.query['id']).trim() }
    const repository = repositories.find(({ resource }) => resource.name === asked.resource)
    const row = await rowOf(repository, asked.id)
    const matrix: MatrixRow[] = repository && row ? await decisionMatrix(req, repository, row) : []
    const missing = asked.id !== '' && row === null
    await render(res.status(missing ? 404 : 200), 'dev/routes', {
      asked,
      missing,
      matrix,
      resources: repositories.map(({ resource }) => resource.name),
      routes: listRoutes([...tables, table]).map((route) => ({
        ...routeFacts(route),
        guards: route.guards.map(guardInWords),
      })),
    })
  }

  const table = routes('/_dev', { 'GET /routes': [publicRoute(), showRoutes] })
  return table
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Read whoever asks, to ask the policy about it; of what is in it nothing is shown. */
function rowOf(repository: AnyRepository | undefined, id: string): Promise<object | null> {
  if (repository === undefined || !/^\d{1,16}$/.test(id)) return Promise.resolve(null)
  return (repository as Repository).find(Number(id))
}
