import type { Request } from 'express'
import {
  type DeclaredResource,
  labelOf,
  mayCreate,
  PageRequest,
  pathTo,
  type PolicyContext,
  policyContext,
  type Repository,
  type Routes,
} from 'pergola'
import { isOpenTo, navOfResources } from 'pergola/app'

/** A list of the navigation with its newest records. */
export interface LatestList {
  readonly label: string
  readonly href: string
  /** The form of a new record, if the caller may create one. */
  readonly createHref: string | null
  readonly records: readonly LatestRecord[]
}

interface LatestRecord {
  readonly label: string
  readonly href: string
  /** Null for a resource without this column. */
  readonly created_at: string | null
}

interface LatestOptions {
  /** The largest number of lists. Each costs one query. Defaults to 6. */
  readonly lists?: number
  /** The number of records of each list. Defaults to 5. */
  readonly records?: number
}

/**
 * Returns the newest records of the lists in the navigation, for a start page: of lists that the caller may open, and only
 * records in the caller's scope. Costs one query per list, and those of the rules for `create`.
 *
 * ```ts
 * await render(res, 'home/index', { latest: await latestRecords(req, resources) })
 * ```
 */
export async function latestRecords(
  req: Request,
  declared: readonly DeclaredResource[],
  { lists = 6, records = 5 }: LatestOptions = {},
): Promise<LatestList[]> {
  const ctx = await policyContext(req)
  const open = declared.flatMap(listOf).filter(({ link }) => isOpenTo(link, ctx.session))
  const latest: LatestList[] = []
  // One after another, so that a request takes one connection at a time.
  for (const list of open.slice(0, lists)) latest.push(await latestOf(req, ctx, { ...list, records }))
  return latest
}

interface List {
  readonly repository: Repository
  readonly table: Routes
  readonly link: ReturnType<typeof navOfResources>[number]
}

/** Returns the list of a resource with a link in the navigation, a label and a page for each record. */
function listOf(declared: DeclaredResource): List[] {
  const { routes = {}, repository } = declared
  if (repository.resource.label === 'id' || repository.options.scope === undefined) return []
  const links = navOfResources([declared])
  return Object.values(routes)
    .filter(({ table }) => table['GET /'] !== undefined && table['GET /:id'] !== undefined)
    .flatMap((table) => {
      const link = links.find(({ href }) => href === pathTo(table, 'GET /'))
      return link ? [{ repository: repository as Repository, table, link }] : []
    })
    .slice(0, 1)
}

async function latestOf(
  req: Request,
  ctx: PolicyContext,
  { repository, table, link, records }: List & { readonly records: number },
): Promise<LatestList> {
  const { resource } = repository
  const page = await repository.visibleTo(ctx).page(new PageRequest(1, records), { count: 'none' })
  const hasForm = table.table['GET /new'] !== undefined && (await mayCreate(req, resource))
  return {
    label: link.label,
    href: link.href,
    createHref: hasForm ? pathTo(table, 'GET /new') : null,
    records: page.content.map((row) => ({
      label: labelOf(resource, row),
      href: pathTo(table, 'GET /:id', row as never),
      created_at: (row as { created_at?: string }).created_at ?? null,
    })),
  }
}
