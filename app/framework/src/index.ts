/** What resources, pages and their tests use, imported as `pergola`. The other entries are in `entries`. */
import { speedUp } from './speed/speed-up.ts'

// Tests set this variable, to show that the same code works without.
if (process.env['PERGOLA_PLAIN'] === undefined) speedUp()

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
export { contextOf, policyContext } from './policy/policy-context.ts'
export type { PolicyContext, Role, Roles, Session } from './policy/authorization-types.ts'

// Policies, and decisions about one record
export { policy, type Policy } from './policy/policy.ts'
export type { Policies } from './policy/authorization-types.ts'
export { maySeeField } from './policy/field-access.ts'
export { publicRoute, secured } from './policy/access.ts'
export { recentlyConfirmed } from './features/step-up/recently-confirmed.ts'
export { type Limit, limit } from './features/limits/limit.ts'
export { load } from './policy/load.ts'
export { authorize, authorizeRecord, record } from './policy/authorize.ts'
export type { Authorized, AuthorizedDraft } from './policy/recorded-decisions.ts'
export { Denied, deny } from './policy/denial.ts'
export { lookup } from './features/lookup/lookup.ts'
export { inScope } from './features/in-scope/in-scope.ts'
export { abilities, mayCreate, type May } from './policy/abilities.ts'
export { pathAfterWrite } from './application/path-after-write.ts'

// Scopes: which records a caller sees in lists
export { scope, type Scope, scoped, type Scopes } from './policy/scope.ts'
export { hasVisible, parentAllows } from './features/child-scope/child-scope.ts'

// Repositories: reading and writing records, also in batches
export { repository, type Repository } from './repository/repository.ts'
export type { Hooks, Written } from './writes/hooks.ts'
export type { Listing } from './lists/listing.ts'
export { listQuery, type ListQuery } from './lists/list-query.ts'
export { labelOf, labelsOf } from './features/choices/labels.ts'
export { RowsGone, Stale } from './writes/write-conflicts.ts'
export type { Batches } from './lists/batches/batches.ts'
export type { BatchOptions } from './lists/batches/batch-options.ts'

// Pages with numbers and pages by cursor
export { PageRequest, pageRequest } from './pagination/page-request.ts'
export type { Page } from './pagination/page.ts'
export type { CursorPage } from './pagination/cursor-page.ts'
export { CursorRequest, cursorRequest } from './pagination/cursor-request.ts'
export type { PagerOptions } from './pagination/pager-links.ts'

// Views, forms and JSON bodies
export { render } from './views/typed-render.ts'
export { formFor, formInput, jsonInput } from './input/record-input.ts'
export { recordForm, storeForm } from './input/record-form.ts'
export { referenceChoices } from './features/choices/reference-choices.ts'
export { readForm, type Refused, refusedForm } from './http/views/form.ts'
export { flash } from './http/views/flash.ts'
export { jsonBody } from './http/bodies/json-body.ts'
export { localPath, returnPath } from './http/routes/return-to.ts'

// Route tables
export type { Guard, Handler, Routes } from './http/routes/route-types.ts'
export { pathTo } from './http/routes/path-to.ts'
export { routes } from './http/routes/routes.ts'

// Errors that become responses
export {
  Conflict,
  type FieldError,
  Forbidden,
  InUse,
  Invalid,
  NotFound,
  TooManyRequests,
  Unauthorized,
  Unavailable,
} from './http/errors.ts'

// The resources of an application
export type { DeclaredResource } from './application/declared-resources.ts'

// Augmented by applications
export type { EventKinds } from './features/events/record-event.ts'

// Queries and transactions
export { database, withDatabase } from './database/executor.ts'
export { withAllTenants, withTenant } from './rows/tenant.ts'
export { afterCommit, inTransaction } from './database/transaction.ts'
