/**
 * The framework, imported as `pergola`. Tasks and their runs are in `pergola/tasks`, the security manifest is in
 * `pergola/manifest`, and the helpers for tests are in `pergola/testing`.
 */

// A resource: its table, its fields and the types of its rows
export type { ChangesOf, IdOf, InputOf, NewRowOf, Resource, RowOf } from './resource/resource.ts'
export { resource } from './resource/declare-resource.ts'
export { field } from './resource/fields/field.ts'
export { boundParams, filter } from './resource/list-filters.ts'
export type { Json } from './resource/fields/json-field.ts'
export { recordId, recordUuid } from './resource/record-id.ts'
export type { Tables } from './resource/tables.ts'
export type { Validated } from './resource/validated.ts'

// The caller of a request
export { contextOf, forgetPolicyContext, policyContext } from './policy/policy-context.ts'
export type { PolicyContext, Role, Roles, Session, TenantOf } from './policy/authorization-types.ts'

// Policies and decisions: what a caller may do to one record
export type { ForbiddenResponse } from './policy/authorization-types.ts'
export { policy, type Policy } from './policy/policy.ts'
export type { Policies } from './policy/declared-policies.ts'
export type { FieldRule } from './features/field-rules/declared-fields.ts'
export { maySeeField } from './features/field-rules/field-rules.ts'
export { type AccessOptions, publicRoute, secured } from './policy/access.ts'
export { recentlyConfirmed } from './features/step-up/recently-confirmed.ts'
export { type DefaultLimits, type Limit, limit, useLimits } from './features/limits/limit.ts'
export { load } from './policy/load.ts'
export { authorize, authorizeRecord, record } from './policy/authorize.ts'
export type { Authorized, AuthorizedDraft } from './policy/request-state.ts'
export { Denied } from './policy/denial.ts'
export { deny } from './policy/deny.ts'
export { lookup } from './policy/lookup.ts'
export { inScope } from './features/in-scope/in-scope.ts'
export { abilities, mayCreate, type May } from './policy/abilities.ts'
export { pathAfterWrite } from './application/path-after-write.ts'

// Scopes: which records a caller sees in lists
export { scope, type Scope, scoped, type Scopes } from './policy/scope.ts'
export { hasVisible } from './policy/child-scope.ts'

// Repositories: reading and writing records, also in batches
export { type AnyRepository, repository, type Repository } from './repository/repository.ts'
export type { Hooks, Written } from './writes/hooks.ts'
export type { Listing } from './lists/listing.ts'
export { listQuery, type ListQuery } from './lists/list-query.ts'
export { labelsOf } from './input/labels.ts'
export { pageByCursor } from './lists/cursor-walk.ts'
export { RowsGone, Stale } from './writes/write-conflicts.ts'
export type { Batches } from './lists/batches/batches.ts'
export type { BatchOptions } from './lists/batches/batch-options.ts'

// Pages with numbers and pages by cursor
export { PageRequest, pageRequest } from './pagination/page-request.ts'
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './pagination/page-size.ts'
export { type Page, toPage, type UncountedPage } from './pagination/page.ts'
export type { CursorPage } from './pagination/cursor-page.ts'
export { CursorRequest, cursorRequest } from './pagination/cursor-request.ts'
export { decodeCursor, decodeSigned, encodeCursor, encodeSigned } from './pagination/cursor.ts'
export type { PagerLabels } from './pagination/pager-labels.ts'
export type { PagerOptions } from './pagination/pager-links.ts'

// Views, forms and JSON bodies
export { cursorPaginationNav, paginationNav, render } from './http/views/render.ts'
export { formatDate } from './http/views/view-helpers.ts'
export { humanize } from './resource/humanize.ts'
export { escapeHtml } from './http/views/html.ts'
export { formFor, formInput, jsonInput } from './input/record-input.ts'
export { recordForm, storeForm } from './input/record-form.ts'
export { referenceChoices } from './input/reference-choices.ts'
export { readForm, type Refused, refusedForm } from './http/views/form.ts'
export { flash } from './http/views/flash.ts'
export { jsonBody } from './http/bodies/json-body.ts'
export { localPath, returnPath } from './http/routes/return-to.ts'

// Route tables
export type { Guard, Handler, Routes, RouteTable } from './http/routes/route-types.ts'
export { pathTo } from './http/routes/path-to.ts'
export { mount, routes } from './http/routes/routes.ts'
export { strayRoutes, straySentences } from './manifest/stray-routes.ts'

// Errors that become responses
export { ERROR_CODES } from './http/error-codes.ts'
export {
  BadRequest,
  Conflict,
  type FieldError,
  Forbidden,
  HttpError,
  InUse,
  Invalid,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  PreconditionRequired,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
} from './http/errors.ts'

// The resources of an application
export {
  type DeclaredResource,
  navOfResources,
  pagesOfResources,
  registryOfResources,
  type Replacements,
  routesOfResources,
  tasksOfResources,
  unauthorizedApis,
} from './application/declared-resources.ts'
export { latestRecords, type LatestList } from './application/latest-records.ts'
export { columnProblems, undeclaredColumns } from './application/column-problems.ts'
export { unlockedReads } from './application/unlocked-reads.ts'
export { orderProblems } from './application/order-problems.ts'
export { engineProblems } from './application/engine-problems.ts'
export { type MissingIndex, missingIndexes } from './application/missing-indexes.ts'
export { addressesOf, currentAddress, inDatabase, shardFor } from './application/request-database.ts'
export { ownWrites } from './scale/own-writes.ts'
export { seedEmptyTables } from './application/seed-empty-tables.ts'

// The settings and the middleware of an application
export { useHttp } from './http/settings.ts'
export type { DecisionEvent, Registry } from './policy/authorization-types.ts'
export { useAuthorization } from './policy/policy-context.ts'
export { denialLog } from './policy/denial.ts'
export { missingScopeWarning } from './application/registry.ts'
export { pipeline } from './http/routes/pipeline.ts'
export { redactChildren, redactFields } from './http/security/redact-fields.ts'
export { requestLog } from './http/server/request-log.ts'
export { securityHeaders } from './http/security/security-headers.ts'
export { requireHttps } from './http/security/require-https.ts'
export { securityTxt } from './http/security/security-txt.ts'
export { health, refuseUntil } from './http/server/health.ts'
export { type Assets, assets } from './http/bodies/assets.ts'
export { compression } from './http/bodies/compression.ts'
export { ownOriginOf } from './http/security/own-origin.ts'
export { requestChecks } from './http/security/request-checks.ts'
export { refuseCrossOrigin } from './http/security/cross-origin.ts'
export { formBody } from './http/bodies/form-body.ts'
export { errorPage, notFound } from './http/views/error-page.ts'
export { databaseFailure } from './database/database-failure.ts'
export { constraintName } from './rows/constraint-name.ts'
export { acceptsWrites } from './migrations/reachable.ts'
export { SqlState, sqlState } from './database/sql-states.ts'
export { describeError } from './http/describe-error.ts'
export { LogDestination } from './http/server/log-destination.ts'
export { type Rate, type RateLimiter, rateLimiter } from './features/limits/rate-limiter.ts'
export { knownBrowser, rememberBrowser } from './http/security/known-browser.ts'
export { network } from './http/security/network.ts'
export { clearSessionToken, sessionToken, setSessionToken } from './http/security/session-cookie.ts'

// The server process
export { endInOrder, listen, portOf } from './http/server/serve.ts'
export { loadServerPackages } from './http/server-packages.ts'

// Who did what
export {
  type EventKind,
  type EventKinds,
  recordEvent,
  recordRejection,
} from './features/events/record-event.ts'
export type { RecordChange } from './repository/record-history.ts'
export { countOldChanges, deleteOldChanges } from './features/history/prune-changes.ts'

// The databases of an application, by its configuration
export {
  conflictingUrls,
  type DatabaseConfig,
  databasesOf,
  databaseUrls,
  hasReplicas,
  shardSettings,
  urlSetting,
} from './application/database-settings.ts'
export { databaseServer, openDatabase, withPatientDatabase } from './application/open-database.ts'
export { serveDatabases } from './application/serve-databases.ts'
export { describeRefusedUrl } from './application/refused-url.ts'

// Queries and transactions
export { connect } from './database/connect.ts'
export { readReplicas } from './scale/read-replicas.ts'
export { type ReplicaState, replicaStates } from './scale/replica-states.ts'
export { accessTable, type AccessTable } from './rows/access-table.ts'
export { database, withDatabase } from './database/executor.ts'
export { withAllTenants, withTenant } from './rows/tenant.ts'
export { rowByKey } from './rows/row-by-key.ts'
export { fromShard, shardNames, shardOfError } from './scale/from-shard.ts'
export { type ShardOf, Shards } from './scale/shards.ts'
export { limitSearches } from './lists/search-share.ts'
export { afterCommit, inTransaction } from './database/transaction.ts'
export { countExpiredKeys, deleteExpiredKeys } from './writes/idempotency-keys.ts'

// Databases and migrations
export { joinEmbedded } from './embedded/development-postgres.ts'
export {
  createIfMissing,
  databaseName,
  ensureDatabase,
  recreateDatabase,
} from './migrations/ensure-database.ts'
export {
  frameworkMigrations,
  migrate,
  type MigrationState,
  migrationStates,
  pendingMigrations,
  rollback,
} from './migrations/run-migrations.ts'
export { lockMigrations } from './migrations/migration-lock.ts'
