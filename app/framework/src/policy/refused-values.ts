import { Invalid } from '../http/errors.ts'
import type { Decision } from './authorization-types.ts'

type Decide = (values: object) => Promise<Decision>

/**
 * Returns the error for values that the policy denies together. It names the fields whose value alone is denied, or all
 * fields if only their combination is.
 */
export async function refusedValues(values: object, sentence: string, decideOn: Decide): Promise<Invalid> {
  const fields = Object.keys(values)
  const decisions = await Promise.all(
    Object.entries(values).map(([field, value]) => decideOn({ [field]: value })),
  )
  const refused = fields.filter((_field, index) => decisions[index]?.allowed === false)
  const named = refused.length > 0 ? refused : fields
  return new Invalid(named.map((field) => ({ field, messages: [sentence] })))
}

/** A draft that the policy denies. */
interface DeniedDraft {
  readonly draft: object
  /** The columns whose values the caller chose. */
  readonly chosen: readonly string[] | undefined
  readonly decision: Decision
}

/** Returns the error for the values that the caller chose. Null if the policy denies the draft without them too. */
export async function refusedDraft(
  { draft, chosen = [], decision }: DeniedDraft,
  decideOn: Decide,
): Promise<Invalid | null> {
  // Any other cause is a mistake in the policy, and no value is to blame.
  if (chosen.length === 0 || decision.cause !== 'denied') return null
  const columns = Object.entries(draft)
  const values = Object.fromEntries(columns.filter(([column]) => chosen.includes(column)))
  const others = Object.fromEntries(columns.filter(([column]) => !chosen.includes(column)))
  if (!(await decideOn(others)).allowed) return null
  const sentence =
    decision.denial?.sentence ?? 'You don’t have permission to create a record with this value.'
  return refusedValues(values, sentence, (some) => decideOn({ ...others, ...some }))
}
