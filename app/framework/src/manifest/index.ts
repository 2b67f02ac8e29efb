/** The security manifest and its audit, for commands and pages that show them. Imported as `pergola/manifest`. */

// The manifest of an application, and the text of its file
export { type ManifestParts, securityAudit, securityManifest } from './manifest.ts'
export { manifestText } from './manifest-text.ts'
export { type Manifest, parseManifest, type RouteEntry } from './schema.ts'

// The differences between two manifests
export { compareManifests } from './compare.ts'
export type { Differences } from './claims.ts'

// Source files, and the places in them that pass policies by
export type { Source } from './code/sources.ts'
export { type Use, useInWords } from './code/uses.ts'

// The routes of an application
export type { ListedRoute } from '../http/routes/route-types.ts'
export { listRoutes } from '../http/routes/routes.ts'
export { matchRoute } from './match-route.ts'
export { routeFacts } from './route-facts.ts'
export { guardInWords, rulesAsked } from './guard-words.ts'

// The decisions of a policy
export { explain, type Explanation } from './explain.ts'
export { decisionMatrix, type MatrixRow } from './decision-matrix.ts'
