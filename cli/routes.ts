import { productionApp, productionManifest } from '#app/manifest.ts'
import { resources } from '#app/resources.ts'
import { registryOfResources } from 'pergola'
import { givenPath } from './called-from.ts'
import { audited, checked, compared, type Outcome, written } from './routes/audit.ts'
import { filterRoutes, type RouteFilter } from './routes/filter.ts'
import { requestInfo } from './routes/info.ts'
import { routeTable } from './routes/table.ts'

interface RoutesOptions extends RouteFilter {
  json?: boolean
  info?: string[]
}

/** The routes as production has them, or what becomes of one request. */
export function routesCommand({ json = false, info, ...filter }: RoutesOptions): void {
  const production = productionApp()
  if (info !== undefined) {
    return say({ code: 0, out: requestInfo(production, registryOfResources(resources).policies, info) })
  }
  const routes = filterRoutes(productionManifest(production).dimensions.routes.entries, filter)
  if (json) return say({ code: 0, out: JSON.stringify(routes, null, 2) })
  if (routes.length === 0) return say({ code: 0, talk: 'No route is like this.' })
  say({ code: 0, out: routeTable(routes) })
}

interface AuditOptions {
  json?: boolean
  check?: boolean
  write?: boolean
  diff?: string
}

/** Who may reach what in production: shown, written down, or compared. */
export function auditCommand({ json = false, check = false, write = false, diff }: AuditOptions): void {
  const manifest = productionManifest()
  if (diff !== undefined) return say(compared(diff === '-' ? diff : givenPath(diff), manifest))
  if (write) return say(written(manifest))
  say(check ? checked(manifest) : audited(manifest, json))
}

function say({ code, out, talk }: Outcome): void {
  if (out !== undefined) console.log(out)
  if (talk !== undefined) console.error(talk)
  process.exitCode = code
}
