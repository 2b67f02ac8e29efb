import { type DeclaredResource, type Handler, publicRoute, render, type Routes, routes } from 'pergola'
import type { decisionMatrix, routeFacts } from 'pergola/manifest'
import { replicaStates } from 'pergola/scale'
import type { Choices } from 'pergola/views'

/**
 * Returns the routes of the pages for developers: their list; the parts of views; and all routes with their guards, with the policy's
 * decisions about one record, and the answers of its rules and lookups. The page shows no other content of the record.
 */
export function devRoutes(tables: readonly Routes[], resources: readonly DeclaredResource[]): Routes {
  const repositories = resources.map(({ repository }) => repository)

  const showRoutes: Handler = async (req, res) => {
    // Imported here, because servers in production import this file and never use the manifest.
    const { decisionMatrix, guardInWords, listRoutes, routeFacts } = await import('pergola/manifest')
    const selected = { resource: textOf(req.query['resource']), id: textOf(req.query['id']).trim() }
    const repository = repositories.find(({ resource }) => resource.name === selected.resource)
    const decisions = repository && selected.id ? await decisionMatrix(req, repository, selected.id) : null
    const missing = selected.id !== '' && decisions === null
    const data: RoutesPage = {
      selected,
      missing,
      matrix: decisions ?? [],
      replicas: await replicaStates(),
      shard: res.shard ?? null,
      resources: repositories.map(({ resource }) => resource.name),
      routes: listRoutes([...tables, table]).map((route) => ({
        ...routeFacts(route),
        guards: route.guards.map(guardInWords),
      })),
    }
    await render(res.status(missing ? 404 : 200), 'dev/routes', data)
  }

  const table = routes('/_dev', {
    'GET /': [publicRoute(), showIndex],
    'GET /routes': [publicRoute(), showRoutes],
    'GET /components': [publicRoute(), showComponents],
    'POST /components': [publicRoute(), showComponents],
  })
  return table
}

/** The data of `views/dev/routes.eta`. */
export interface RoutesPage {
  readonly selected: { readonly resource: string; readonly id: string }
  /** Whether no record has the selected id. */
  readonly missing: boolean
  readonly matrix: NonNullable<Awaited<ReturnType<typeof decisionMatrix>>>
  readonly replicas: Awaited<ReturnType<typeof replicaStates>>
  readonly shard: string | null
  readonly resources: readonly string[]
  readonly routes: readonly (Omit<ReturnType<typeof routeFacts>, 'guards'> & {
    readonly guards: readonly string[]
  })[]
}

const showIndex: Handler = async (_req, res) => {
  const { notices } = await import('pergola/dev')
  await render(res, 'dev/index', { notices })
}

const showComponents: Handler = (req, res) => {
  const sent = (req.body ?? {}) as Record<string, unknown>
  const [owners, reviewers] = [peopleIn(sent, 'owner_id', '7'), peopleIn(sent, 'reviewer_id', '')]
  const watchers = { ...peopleIn(sent, 'watcher_ids', ''), multiple: true }
  return render(res, 'dev/components', { owners, reviewers, watchers })
}

/** Records for the pickers of the components, which are stored nowhere. */
const PEOPLE = Array.from({ length: 200 }, (_, index) => {
  const name = [
    'Ada Lovelace',
    'Grace Hopper',
    'محمد الخوارزمي',
    'Pablo Diego José Francisco de Paula Ruiz y Picasso',
  ]
  return { value: String(index + 1), text: `${name[index % name.length]} ${index + 1}` }
})

/** Returns what `referenceChoices` returns for a table. */
function peopleIn(sent: Record<string, unknown>, column: string, stored: string): Choices {
  const q = textOf(sent[`_find_${column}`]).trim()
  const chosen = [sent[column] ?? stored].flat()
  const found = PEOPLE.filter(({ text }) => text.toLowerCase().includes(q.toLowerCase()))
  const first = found.slice(0, 20)
  const options = PEOPLE.map((person) => ({ ...person, selected: chosen.includes(person.value) }))
  return {
    options: options.filter(({ value, selected }) => selected || first.some((one) => one.value === value)),
    multiple: false,
    ordered: false,
    searchable: true,
    more: found.length > first.length,
    q,
    found: first.length,
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
