import type { AnyPolicy } from '../policy/authorization-types.ts'
import { secretFields, type Seen } from '../policy/field-access.ts'
import { authorizeAgain, authorizeDraft } from '../policy/decisions.ts'
import { type AddedVerb, type DraftOf, isStandardVerb, type VerbOf } from '../policy/policy.ts'
import {
  type RecordedDecision,
  type Authorized,
  type AuthorizedDraft,
  markInserted,
  recordedActions,
  recordedDecision,
} from '../policy/recorded-decisions.ts'
import type { Target } from '../rows/storage.ts'
import type { ChangesOf, IdOf, NewRowOf, Resource, RowOf } from '../resource/resource.ts'
import { acceptedValues, type SetColumns, type WriteValues } from '../resource/validated.ts'
import { authorizeChange, authorizeFields } from './authorize-change.ts'
import { insertAll, insertEach, type Rows } from './bulk-writes.ts'
import { rethrowViolation } from './constraint-violations.ts'
import { onFinalDecision, seenBy, writeDecided } from './final-decision.ts'
import { writerOf } from './hooked-writer.ts'
import type { Hooks } from './hooks.ts'
import { insertManyOnce } from './once/repeated-writes.ts'
import { type RecordFeature, watcherOf } from './record-feature.ts'

/** Writes of records that a policy allowed. Without a decision of the policy, each throws before it sends SQL. */
export interface AuthorizedWrites<R extends Resource> {
  /**
   * Stores a draft of `authorizeRecord(req, 'create', …)`, once, or completes a draft of `record(req, …, 'create')` with
   * these values: the policy decides again with them. Throws `Denied`, and `Invalid` if the policy denies only the input, if
   * a unique value is in use or if the caller may not set a field.
   */
  insert<Column extends keyof DraftOf<R> & string = never>(
    draft: AuthorizedDraft<R>,
    ...values: WriteValues<R, DraftOf<R>, Column> | []
  ): Promise<RowOf<Seen<R>>>
  /**
   * Writes validated input, and the columns that the code names in `set`. Returns the updated row. If the row changed
   * since the decision, the policy decides again about the new version. Throws `NotFound` if the row no longer exists,
   * `Denied` if the policy now denies the action, `Stale` if the caller stated a version, `Conflict` if the row changes
   * once more, and `Invalid` if a unique value is already in use or if the caller may not set a field.
   */
  update<Column extends keyof ChangesOf<R> & string = never>(
    row: Authorized<'update' | AddedVerb<R>, R>,
    ...changes: WriteValues<R, ChangesOf<R>, Column>
  ): Promise<RowOf<Seen<R>>>
  /** Writes the values that the repository declares for this action. Throws the errors of `update`. */
  perform<Action extends VerbOf<R>>(row: Authorized<Action, R>, action: Action): Promise<RowOf<Seen<R>>>
  /** Deletes the row, with the same errors as `update`. Throws `InUse` if other records refer to it. */
  delete(row: Authorized<'delete' | AddedVerb<R>, R>): Promise<void>
  /** Stores all drafts or none, in one transaction. Returns their ids, in order. Reads the iterable as it writes. */
  saveMany(drafts: Rows<AuthorizedDraft<R>>): Promise<IdOf<R>[]>
}

export interface AuthorizedRestore<R extends Resource> {
  /** Restores a row from the trash that `canRestore` allowed, with the same errors as `update`. */
  readonly restore: (row: Authorized<'restore', R>) => Promise<RowOf<Seen<R>>>
}

/**
 * The policy's own verbs that allow a write: with `updatedBy: ['publish']`, `update` accepts a row allowed for
 * `publish`. `canBecome` decides about the result, if the policy has that rule; `canUpdate` is not called.
 */
export interface WritingVerbs<R extends Resource> {
  updatedBy?: readonly AddedVerb<R>[]
  deletedBy?: readonly AddedVerb<R>[]
  /** The values that actions write, by `perform` and by `POST /api/posts/7/publish`: `{ publish: () => ({ published: true }) }`. */
  actions?: { readonly [Verb in AddedVerb<R>]?: () => ChangesOf<R> }
}

interface AuthorizedWriteOptions<R extends Resource> extends WritingVerbs<R> {
  hooks?: Hooks<R>
  features?: readonly RecordFeature[]
  policy?: Pick<AnyPolicy, 'fields'>
}

export function authorizedWrites<R extends Resource>(
  resource: R,
  { updatedBy = [], deletedBy = [], actions = {}, hooks, features = [], policy }: AuthorizedWriteOptions<R>,
): AuthorizedWrites<R> & AuthorizedRestore<R> {
  const declared: Readonly<Record<string, (() => ChangesOf<R>) | undefined>> = actions
  const secret = secretFields(resource, policy)
  const watcher = watcherOf(resource, features, null)
  const writer = writerOf(resource, { hooks, watcher })
  const rethrow = rethrowViolation(resource)
  return {
    insert,
    saveMany: (drafts) =>
      hooks === undefined
        ? insertManyOnce(resource, authorized(drafts, resource), {
            insert: (rows) => insertAll(resource, rows, { watcher, secret }),
          }).catch(rethrow)
        : insertManyOnce(resource, named(drafts, resource), {
            insert: (rows) => insertEach(rows, insert, secret),
          }),
    async update(row, ...[changes, options]) {
      const decision = requireDecision(row, resource, ['update', ...updatedBy])
      const accepted = { set: options?.set ?? [], fixed: resource.immutable }
      return change(decision, row, acceptedValues(resource, changes, accepted))
    },
    async perform(row, action) {
      const decision = requireDecision(row, resource, [action])
      const changes = declared[action]?.()
      if (changes === undefined)
        throw new Error(`${resource.name}: the repository has no ${decision.action} in its actions.`)
      return change(decision, row, acceptedValues(resource, changes, { set: Object.keys(changes) }))
    },
    async delete(row) {
      const decision = requireDecision(row, resource, ['delete', ...deletedBy])
      const remove = async (_version: object, target: Target) => ((await writer.delete(target)) ? row : null)
      await writeDecided({ decision, row }, remove)
    },
    async restore(row) {
      const decision = requireDecision(row, resource, ['restore'])
      return writeDecided({ decision, row, which: 'all' }, (_version, target) => writer.restore(target))
    },
  }

  /** Writes values. They must be a copy: the caller's object could change while a rule is running. */
  async function change(decision: RecordedDecision, row: RowOf<Seen<R>>, copy: object) {
    const columns = Object.freeze(copy)
    if (Object.keys(columns).length === 0) return row
    return writeDecided<RowOf<Seen<R>>>({ decision, row }, async (version, target) => {
      const changes = (await authorizeFields(decision, version, columns)) as ChangesOf<R>
      return writer.update(target, changes, (final) => authorizeChange(decision, version, final))
    }).catch(rethrow)
  }

  async function insert(known: AuthorizedDraft<R>, ...values: NewValues): Promise<RowOf<Seen<R>>> {
    const draft = values.length === 0 ? known : await completeDraft(resource, known, values)
    const decision = useDecision(draft, resource)
    const authorize = (values: object) => authorizeAgain(decision, values)
    const write = () => writer.insert(draft as NewRowOf<R>, authorize)
    return seenBy(decision, await onFinalDecision(decision, draft, write).catch(rethrow))
  }
}

type GivenValues = readonly [values: object, options?: SetColumns<string>]
type NewValues = GivenValues | readonly []

/** Authorizes a draft again, with more values. */
function completeDraft(resource: Resource, draft: object, [values, options]: GivenValues): Promise<object> {
  const { req } = requireDecision(draft, resource, ['create'])
  return authorizeDraft(req, resource, { values, set: options?.set, draft })
}

async function* authorized<Draft extends object>(drafts: Rows<Draft>, resource: Resource) {
  for await (const draft of named(drafts, resource)) {
    const decision = useDecision(draft, resource)
    if (decision.again !== 'no') await authorizeAgain(decision, draft)
    yield draft
  }
}

/** Throws for a draft without a decision, with the row in the message. */
async function* named<Draft extends object>(drafts: Rows<Draft>, resource: Resource) {
  let row = 0
  for await (const draft of drafts) {
    row++
    if (recordedDecision(draft, resource, ['create']) === undefined)
      throw new Error(`Row ${row}: ${notAuthorized(draft, resource, 'create')}`)
    yield draft
  }
}

/** Returns the decision on a draft, which allows one insert. */
function useDecision(draft: object, resource: Resource): RecordedDecision {
  const decision = requireDecision(draft, resource, ['create'])
  markInserted(draft)
  return decision
}

export function requireDecision(
  record: object,
  resource: Resource,
  actions: readonly string[],
): RecordedDecision {
  const decision = recordedDecision(record, resource, actions)
  if (decision !== undefined) return decision
  throw new Error(notAuthorized(record, resource, actions[0] ?? ''))
}

/** Returns an error message, which names the option of the repository if the policy's own verb was authorized. */
function notAuthorized(record: object, resource: Resource, action: string): string {
  const { name } = resource
  const problem = `'${action}' was not authorized on this ${name}`
  const remedy = `record(req, ${name}, '${action}'), or from await authorizeRecord(req, '${action}', ${name}, …)`
  const verb = recordedActions(record, resource).find((allowed) => !isStandardVerb(allowed))
  const option = WRITTEN_BY.get(action)
  return verb === undefined || option === undefined
    ? `${problem}. Take it from ${remedy}.`
    : `${problem}, but '${verb}' was. If '${verb}' may ${action} it, pass ${option}: ['${verb}'] to ` +
        `repository(${name}, …). Otherwise take it from ${remedy}.`
}

/** The options of a repository that allow writes by verbs of the policy. */
const WRITTEN_BY: ReadonlyMap<string, keyof WritingVerbs<Resource>> = new Map([
  ['update', 'updatedBy'],
  ['delete', 'deletedBy'],
])
