/** The security manifest and its audit, for commands and pages that show them: imported as `pergola/manifest`. */

export { compareManifests } from './compare.ts'
export { decisionMatrix, type MatrixRow } from './decision-matrix.ts'
export type { Differences } from './differences.ts'
export { guardInWords, rulesAsked } from './guard-words.ts'
export { securityManifest } from './manifest.ts'
export { matchRoute } from './match-route.ts'
export { routeFacts } from './route-facts.ts'
export { type Manifest, manifestText, parseManifest, type RouteEntry } from './schema.ts'
export { strayRoutes, straySentences } from './stray-routes.ts'
