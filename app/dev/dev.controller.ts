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

/**
 * Returns the routes of a page for developers: all routes with their guards, and the policy's decisions about one
 * record.
 */
export function devRoutes(tables: readonly Routes[], resources: readonly DeclaredResource[]): Routes {
  const repositories = resources.map(({ repository }) => repository)

  const showRoutes: Handler = async (req, res) => {
    const selected = { resource: textOf(req.query['resource']), id: textOf(req.query['id']).trim() }
    const repository = repositories.find(({ resource }) => resource.name === selected.resource)
    const row = await findRow(repository, selected.id)
    const matrix: MatrixRow[] = repository && row ? await decisionMatrix(req, repository, row) : []
    const missing = selected.id !== '' && row === null
    await render(res.status(missing ? 404 : 200), 'dev/routes', {
      selected,
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

/** Reads the row without authorization. The page shows only the policy's decisions, not the content of the row. */
function findRow(repository: AnyRepository | undefined, id: string): Promise<object | null> {
  if (repository === undefined || !/^\d{1,16}$/.test(id)) return Promise.resolve(null)
  return (repository as Repository).find(Number(id))
}
