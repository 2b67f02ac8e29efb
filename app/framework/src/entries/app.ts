/** What `app.ts`, `server.ts` and the command line of an application use: settings, middleware and the server. Imported as `pergola/app`. */

// Types of settings, and texts of views
export type { ForbiddenResponse, TenantOf } from '../policy/authorization-types.ts'
export type { AccessOptions } from '../policy/access.ts'
export type { DefaultLimits } from '../http/settings.ts'
export type { AnyRepository } from '../repository/repository.ts'
export type { PagerLabels } from '../pagination/pager-labels.ts'
export { formatDate, formatMoney } from '../http/views/view-helpers.ts'
export { humanize } from '../resource/humanize.ts'
export { escapeHtml } from '../http/views/html.ts'

// Route tables and resources
export { strayRoutes, straySentences } from '../manifest/stray-routes.ts'
export {
  type DeclaredPages,
  navOfResources,
  registryOfResources,
  type Replacements,
  routesOfResources,
  tasksOfResources,
  unauthorizedApis,
} from '../application/declared-resources.ts'
export { unlockedReads } from '../application/unlocked-reads.ts'

// Errors of the protocol, and the codes of all
export { ERROR_CODES } from '../http/error-codes.ts'
export {
  BadRequest,
  HttpError,
  InvalidCursor,
  PreconditionFailed,
  PreconditionRequired,
  UnsupportedMediaType,
} from '../http/errors.ts'

// The application, its middleware and its server
export {
  type ApplicationOptions,
  type ApplicationParts,
  webApplication,
} from '../application/web-application.ts'
export { isOpenTo } from '../http/settings.ts'
export type { DecisionEvent, Registry } from '../policy/authorization-types.ts'
export { denialLog } from '../policy/denial.ts'
export { redactChildren, redactFields } from '../features/redact-fields/redact-fields.ts'
export { requestLog } from '../features/request-log/request-log.ts'
export { securityHeaders } from '../http/security/security-headers.ts'
export { requireHttps } from '../features/require-https/require-https.ts'
export { securityTxt } from '../features/security-txt/security-txt.ts'
export { health } from '../http/server/health.ts'
export { assets } from '../features/assets/assets.ts'
export { compression } from '../features/assets/compression.ts'
export { ownOriginOf } from '../http/security/own-origin.ts'
export { requestChecks } from '../http/security/request-checks.ts'
export { refuseCrossOrigin } from '../http/security/cross-origin.ts'
export { formBody } from '../http/bodies/form-body.ts'
export { describeError } from '../http/describe-error.ts'
export { LogDestination } from '../features/request-log/log-destination.ts'
export { endInOrder, listen, portOf } from '../http/server/serve.ts'
export { loadServerPackages } from '../http/server-packages.ts'
