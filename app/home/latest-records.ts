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

const LISTS = 6
const RECORDS = 5

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

/** Returns the newest records of the lists that the caller may open, and that the navigation links. */
export async function latestRecords(
  req: Request,
  declared: readonly DeclaredResource[],
): Promise<LatestList[]> {
  const ctx = await policyContext(req)
  const open = declared.flatMap(listOf).filter(({ link }) => isOpenTo(link, ctx.session))
  const latest: LatestList[] = []
  // One after another, so that a request takes one connection at a time.
  for (const list of open.slice(0, LISTS)) latest.push(await latestOf(req, ctx, list))
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
  { repository, table, link }: List,
): Promise<LatestList> {
  const { resource } = repository
  const page = await repository.visibleTo(ctx).page(new PageRequest(1, RECORDS), { count: 'none' })
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
