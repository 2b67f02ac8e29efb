/** The security manifest and its audit, for commands and pages that show them. Imported as `pergola/manifest`. */

// The manifest of an application, and the text of its file
export { securityManifest } from './manifest.ts'
export { type Manifest, manifestText, parseManifest, type RouteEntry } from './schema.ts'

// The differences between two manifests
export { compareManifests } from './compare.ts'
export type { Differences } from './differences.ts'

// The uses of asSystem in source files
export { type SystemUse, systemUses } from './system-uses.ts'

// The reads past the repositories, and the imports past the entries of the package
export { type DirectUse, directUseInWords, directUses } from './direct-uses.ts'

// The routes of an application
export type { ListedRoute } from '../http/route-types.ts'
export { listRoutes } from '../http/routes.ts'
export { matchRoute } from './match-route.ts'
export { routeFacts } from './route-facts.ts'
export { guardInWords, rulesAsked } from './guard-words.ts'

// The decisions of a policy
export { explain, type Explanation } from './explain.ts'
export { decisionMatrix, type MatrixRow } from './decision-matrix.ts'
