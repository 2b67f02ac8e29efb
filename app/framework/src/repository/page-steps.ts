import type { Request } from 'express'
import type { FormState } from '../http/views/form.ts'
import { type StoredForm, storeForm } from '../input/record-form.ts'
import { formFor, formInput } from '../input/record-input.ts'
import { type ListOf, type ListQuery, listQuery } from '../lists/list-query.ts'
import type { ListOptions } from '../lists/list-source.ts'
import type { Listing } from '../lists/listing.ts'
import type { CursorPage } from '../pagination/cursor-page.ts'
import { cursorRequest } from '../pagination/cursor-request.ts'
import type { Page } from '../pagination/page.ts'
import { pageRequest } from '../pagination/page-request.ts'
import type { PageSizes } from '../pagination/page-size.ts'
import { abilities, type May, mayCreate, type RowAction } from '../policy/abilities.ts'
import type { PolicyContext } from '../policy/authorization-types.ts'
import { record } from '../policy/authorize.ts'
import type { DraftOf } from '../policy/policy.ts'
import type { Seen } from '../policy/field-access.ts'
import { policyContext } from '../policy/policy-context.ts'
import type { Authorized } from '../policy/recorded-decisions.ts'
import type { InputOf, Resource, RowOf } from '../resource/resource.ts'
import type { AuthorizedWrites } from '../writes/authorized-writes.ts'

type Row<R extends Resource> = RowOf<Seen<R>>

/** What a page shows of a list: its rows, how the URL narrows and sorts them, and what the caller may do. */
export interface ListOnPage<
  R extends Resource,
  Rows = Page<Row<R>>,
  Action extends RowAction<R> = 'update' | 'delete',
> {
  readonly page: Rows & ListOf<R['lists']>
  readonly query: ListQuery<R>
  readonly may: May<R, Action>
  readonly mayCreate: boolean
}

interface ListOnPageOptions<R extends Resource, Action = RowAction<R>> extends Pick<
  ListOptions<Seen<R>>,
  'where'
> {
  /** The actions that `may` decides on: see `abilities`. They default to `['update', 'delete']`. */
  readonly actions?: readonly Action[]
  /** The values on which `mayCreate` decides, such as the parent of the listed rows. */
  readonly draft?: DraftOf<R>
}

/** What the handlers of a resource's pages do with a request. */
export interface PageSteps<R extends Resource> {
  /**
   * Returns the page of the caller's rows that the URL requests, with its search, filters and order. Rows are counted up to
   * 1,000. `where` narrows the list.
   */
  pageFor<Action extends RowAction<R> = 'update' | 'delete'>(
    req: Request,
    options?: ListOnPageOptions<R, Action>,
  ): Promise<ListOnPage<R, Page<Row<R>>, Action>>
  /** Returns the cursor page of the caller's rows that the URL requests, as `pageFor` does. */
  cursorPageFor<Action extends RowAction<R> = 'update' | 'delete'>(
    req: Request,
    options?: ListOnPageOptions<R, Action>,
  ): Promise<ListOnPage<R, CursorPage<Row<R>>, Action>>
  /** Decides on `actions` for these rows: see `abilities`. By default `update`, `delete` and the repository's actions. */
  abilities<Action extends RowAction<R> = RowAction<R>>(
    req: Request,
    rows: readonly Row<R>[],
    actions?: readonly Action[],
  ): Promise<May<R, Action>>
  /** Returns the state of a form for a record or a draft: see `formFor`. */
  formFor(row?: Row<R> | DraftOf<R>): FormState<keyof InputOf<R> & string, R['name']>
  /**
   * Stores a new record from the submitted form: the draft of `authorize('create', …)` with the validated input, on which
   * the policy decides again. Returns `{ valid: true, stored }`, or the form to show again with its `status`.
   */
  createFrom(req: Request): Promise<StoredForm<Row<R>>>
  /** Stores the changes of the submitted form. Returns like `createFrom`; `status` is 409 if another user changed the record. */
  updateFrom(req: Request, row: Authorized<'update', R>): Promise<StoredForm<Row<R>>>
}

interface Steps extends Pick<AuthorizedWrites<Resource>, 'insert' | 'update'> {
  readonly resource: Resource
  readonly pageSize: PageSizes
  readonly visibleTo: (ctx: PolicyContext) => Lists
  readonly options: { readonly actions?: object }
}

type Lists = Pick<Listing<Resource>, 'page' | 'cursorPage'>

export function pageSteps(repository: Steps): PageSteps<Resource> {
  const { resource, visibleTo } = repository
  const usual = ['update', 'delete'] as const
  const declared = Object.keys(repository.options.actions ?? {}) as RowAction<Resource>[]
  const around = async <Rows extends Page<object> | CursorPage<object>>(
    req: Request,
    options: ListOnPageOptions<Resource>,
    read: (lists: Lists, options: ListOptions<Resource>) => Promise<Rows>,
  ) => {
    const query = listQuery(req, resource)
    const page = await read(visibleTo(await policyContext(req)), { ...options, query })
    const may = await abilities(req, resource, page.content, options.actions ?? usual)
    return { page, query, may, mayCreate: await mayCreate(req, resource, options.draft) }
  }
  return {
    pageFor: (req, options = {}) =>
      around(req, options, (lists, listed) =>
        lists.page(pageRequest(req, repository), { ...listed, count: { cap: 1_000 } }),
      ),
    cursorPageFor: (req, options = {}) =>
      around(req, options, (lists, listed) => lists.cursorPage(cursorRequest(req, repository), listed)),
    abilities: (req, rows, actions: readonly RowAction<Resource>[] = [...usual, ...declared]) =>
      abilities(req, resource, rows, actions),
    formFor: (row) => formFor(resource, row),
    async createFrom(req) {
      const draft = record(req, resource, 'create')
      return storeForm(await formInput(req, resource), (input) => repository.insert(draft, input))
    },
    updateFrom: async (req, row) =>
      storeForm(await formInput(req, resource, row), (input) => repository.update(row, input)),
  }
}
