import type { Resource } from '../resource/resource.ts'
import type { Decision, PolicyContext } from '../policy/authorization-types.ts'
import { decide, decideChange } from '../policy/decide.ts'
import { decideAtWrite, decisionFor, hasChangeRule, mayShow, policiesOf } from '../policy/decisions.ts'
import { requireSettable } from '../policy/field-access.ts'
import { policyContext } from '../policy/policy-context.ts'
import { refusedValues } from '../policy/refused-values.ts'
import { withUnseenIds } from '../policy/seen-record.ts'
import type { RecordedDecision } from '../policy/recorded-decisions.ts'
import { registryOf } from '../policy/policy-state.ts'

/**
 * Authorizes the result of a write by the policy's `canBecome`. Without that rule, `canUpdate` decides about the row as it
 * would become if the write was authorized for `update`. The result of any other action, such as `publish`, is allowed.
 * Throws `Invalid` (422) with the refused fields if the caller may see the record, else `Denied`. Without `canBecome`,
 * throws an error if an immutable column changes.
 */
export async function authorizeChange(
  recorded: RecordedDecision,
  before: object,
  changes: object,
): Promise<void> {
  const { req, resource } = recorded
  const ctx = await policyContext(req)
  if (!hasChangeRule(ctx, resource)) rejectImmutable(resource, changes)
  const decideOn = (some: object) =>
    decideAtWrite(recorded, () => decisionOnChange(ctx, recorded, { before, changes: some }))
  const question = { action: 'become', resource, record: before }
  const { decision, denial } = await decisionFor({ req, ctx }, question, () => decideOn(changes))
  if (denial === null) return
  // Any other cause is a mistake in the policy, and no field is to blame.
  if (decision.cause !== 'denied' || !(await mayShow(ctx, resource, before))) throw denial
  throw await refusedValues(changes, decision.denial?.sentence ?? NOT_ALLOWED, decideOn)
}

/**
 * Throws `Invalid` (422) if the caller may not set one of these fields in the row. Returns the values to write: ids in lists
 * that the caller doesn't see stay.
 */
export async function authorizeFields(
  recorded: RecordedDecision,
  row: object,
  changes: object,
): Promise<object> {
  const { req, resource, action } = recorded
  const ctx = await policyContext(req)
  requireSettable({ req, ctx }, { action, resource, record: row }, changes)
  return Object.freeze(await withUnseenIds(ctx, resource, row, changes))
}

const NOT_ALLOWED = 'You don’t have permission to make this change.'

interface Change {
  before: object
  changes: object
}

async function decisionOnChange(
  ctx: PolicyContext,
  { resource, action }: RecordedDecision,
  { before, changes }: Change,
): Promise<Decision> {
  const [policies, deadline] = [policiesOf(ctx), registryOf(ctx)?.ruleDeadline]
  const after = Object.freeze({ ...before, ...changes })
  const decision = await decideChange(policies, ctx, { resource, before, after }, deadline)
  if (decision !== null) return decision
  // A verb of the application, such as `publish`, may allow a change that it doesn't allow twice.
  if (action !== 'update') return { allowed: true, cause: 'allowed' }
  return decide(policies, ctx, { action, resource, record: after }, deadline)
}

function rejectImmutable(resource: Resource, changes: object): void {
  const column = Object.keys(changes).find((name) => resource.immutable.includes(name))
  if (column !== undefined)
    throw new Error(
      `${resource.name}.${column} is immutable. An update may change it only if the policy's canBecome allows it.`,
    )
}
