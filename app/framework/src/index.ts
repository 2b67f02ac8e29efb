/** The prelude: every public name, grouped as the folders are. */

// Resources
export {
  resource,
  type ChangesOf,
  type IdOf,
  type InputOf,
  type NewRowOf,
  type Resource,
  type RowOf,
} from './resource/resource.ts'
export { field } from './resource/field.ts'
export type { Json } from './resource/json-field.ts'
export { recordId, recordUuid } from './resource/record-id.ts'
export type { RecordId, Tables } from './resource/tables.ts'

// Authorization
export { abilities, mayCreate, type May } from './authorization/abilities.ts'
export { publicRoute, secured } from './authorization/access.ts'
export { authorize, authorizeRecord, record } from './authorization/authorize.ts'
export { denialLog } from './authorization/denial-log.ts'
export { Denied } from './authorization/denial.ts'
export { deny } from './authorization/deny.ts'
export { load } from './authorization/load.ts'
export { lookup } from './authorization/lookup.ts'
export { contextOf, forgetPolicyContext, policyContext } from './authorization/policy-context.ts'
export type { PolicyContext, Role, Roles, Session } from './authorization/policy-context.ts'
export {
  type AnyPolicy,
  type ForbiddenResponse,
  policy,
  type Policies,
  type Policy,
} from './authorization/policy.ts'
export type { Authorized, AuthorizedDraft } from './authorization/proof.ts'
export { type DecisionEvent, type Registry, useAuthorization } from './authorization/registry.ts'
export { missingScopeWarning } from './authorization/missing-scope.ts'
export { hasVisible } from './authorization/child-scope.ts'
export { scope, type Scope, scoped, type Scopes } from './authorization/scope.ts'

// Pagination
export type { SortKey } from './pagination/keyset.ts'
export { decodeCursor, decodeSigned, encodeCursor, encodeSigned } from './pagination/cursor.ts'
export type { CursorPage } from './pagination/cursor-page.ts'
export { CursorRequest, cursorRequest } from './pagination/cursor-request.ts'
export { type Page, toPage, type UncountedPage } from './pagination/page.ts'
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, PageRequest, pageRequest } from './pagination/page-request.ts'
export { type PageSlot, pageWindow } from './pagination/page-window.ts'
export type { PagerLabels } from './pagination/pager-labels.ts'
export type { PagerOptions } from './pagination/pager-links.ts'

// Repositories
export type { Batches } from './repository/batches/batches.ts'
export type { Each } from './repository/batches/each.ts'
export type { BatchOptions, Partition } from './repository/batches/options.ts'
export type { Progress } from './repository/batches/progress.ts'
export type { KeyRange, RangeBatches } from './repository/batches/range-batches.ts'
export type { Finders } from './repository/finders.ts'
export type { Hooks, Written } from './repository/hooks.ts'
export { formFor, formInput, jsonInput } from './repository/input.ts'
export { labelsOf } from './repository/labels.ts'
export { type Choices, referenceChoices } from './repository/reference-choices.ts'
export { type CursorWalk, pageByCursor } from './repository/cursor-walk.ts'
export type { CursorPageOptions, CursorPages } from './repository/cursor-pages.ts'
export type { Listing } from './repository/listing.ts'
export { listQuery, type ListQuery } from './repository/list-query.ts'
export type { ListOptions } from './repository/list-source.ts'
export type { PageOptions } from './repository/offset-pages.ts'
export { recordForm, type RecordForm, storeForm, type StoredForm } from './repository/record-form.ts'
export { type AnyRepository, repository, type Repository } from './repository/repository.ts'
export { Stale } from './repository/stale.ts'
export { RowsGone } from './repository/upsert-many.ts'

// Application
export {
  type DeclaredResource,
  navOfResources,
  registryOfResources,
  type Replacements,
  routesOfResources,
  tasksOfResources,
  unauthorizedApis,
} from './application/declared-resources.ts'
export { nullableCursorKeys } from './application/nullable-keys.ts'
export { seedEmptyTables } from './application/seed-empty-tables.ts'

// Database
export { connect } from './database/connect.ts'
export { database, withDatabase } from './database/executor.ts'
export { databaseFailure } from './database/failure.ts'
export { joinEmbedded, type EmbeddedPostgres } from './database/development-postgres.ts'
export {
  createIfMissing,
  databaseName,
  ensureDatabase,
  recreateDatabase,
} from './database/ensure-database.ts'
export {
  frameworkMigrations,
  migrate,
  type MigrationState,
  migrationStates,
  pendingMigrations,
  rollback,
} from './database/migrate.ts'
export { afterCommit, inTransaction, type TransactionOptions } from './database/transaction.ts'

// Tasks
export { type CsvOptions, type CsvRecord, CsvRecords, csvRecords } from './tasks/csv/csv-records.ts'
export { EndUnrecorded, LeaseLost, NothingToResume, TaskLocked } from './tasks/errors.ts'
export { lastRuns, recentRuns, type RecordedRun } from './tasks/history.ts'
export { isAlive, starter, userName } from './tasks/machine.ts'
export { type EndedRun, type RunOptions, runTask, type TaskOutput } from './tasks/run-task.ts'
export { type AnyTask, pathArgument, task, type TaskRun } from './tasks/task.ts'

// HTTP
export { assets } from './http/assets.ts'
export { refuseCrossOrigin } from './http/cross-origin.ts'
export { describeError } from './http/describe-error.ts'
export { errorPage, notFound } from './http/error-page.ts'
export * from './http/errors.ts'
export { flash } from './http/flash.ts'
export {
  decodeForm,
  type FormState,
  readForm,
  type Refused,
  refusedForm,
  type Submitted,
} from './http/form.ts'
export { formBody } from './http/form-body.ts'
export { health } from './http/health.ts'
export { escapeHtml } from './http/html.ts'
export { jsonBody } from './http/json-body.ts'
export { cursorPaginationNav, paginationNav, render } from './http/render.ts'
export { requestChecks } from './http/request-checks.ts'
export { requestLog } from './http/request-log.ts'
export { localPath } from './http/return-to.ts'
export {
  type Access,
  type Guard,
  type Handler,
  type ListedRoute,
  listRoutes,
  mount,
  routes,
  type Routes,
  type Route,
  type RouteTable,
} from './http/routes.ts'
export { securityHeaders } from './http/security-headers.ts'
export { clearSessionToken, SESSION_LIFETIME, sessionToken, setSessionToken } from './http/session-cookie.ts'
export { useHttp } from './http/settings.ts'
export { formatDate, humanize } from './http/view-helpers.ts'
export { ownOriginOf } from './http/own-origin.ts'
export { endInOrder, listen, portOf } from './http/serve.ts'
