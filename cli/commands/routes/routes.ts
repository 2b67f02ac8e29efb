import { manifestParts, productionApp, productionManifest } from '#app/manifest.ts'
import { resources } from '#app/resources.ts'
import { registryOfResources } from 'pergola/app'
import { securityAudit } from 'pergola/manifest'
import { callerPath } from '../../caller-folder.ts'
import { audited, checked, compared, type Outcome, written } from './audit.ts'
import { filterRoutes, type RouteFilter } from './filter.ts'
import { requestInfo } from './info.ts'
import { routeTable } from './table.ts'

interface RoutesOptions extends RouteFilter {
  json?: boolean
  info?: string[]
}

/** Prints the routes of production, or how one request is handled. */
export function routesCommand({ json = false, info, ...filter }: RoutesOptions): void {
  const production = productionApp()
  if (info !== undefined) {
    return print({ code: 0, out: requestInfo(production, registryOfResources(resources).policies, info) })
  }
  const routes = filterRoutes(productionManifest(production).dimensions.routes.entries, filter)
  if (json) return print({ code: 0, out: JSON.stringify(routes, null, 2) })
  if (routes.length === 0) return print({ code: 0, message: 'No matching routes.' })
  print({ code: 0, out: routeTable(routes) })
}

interface AuditOptions {
  json?: boolean
  check?: boolean
  write?: boolean
  diff?: string
}

/** Prints, writes or compares the security manifest of production. */
export function auditCommand({ json = false, check = false, write = false, diff }: AuditOptions): void {
  const { manifest, uses } = securityAudit(manifestParts())
  if (diff !== undefined) return print(compared(diff === '-' ? diff : callerPath(diff), manifest))
  if (write) return print(written(manifest))
  print(check ? checked(manifest) : audited(manifest, uses, json))
}

function print({ code, out, message }: Outcome): void {
  if (out !== undefined) console.log(out)
  if (message !== undefined) console.error(message)
  process.exitCode = code
}
