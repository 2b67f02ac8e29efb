import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** The parts of a model that the rules depend on. */
export interface Ruled extends Pick<Model, 'names' | 'readers'> {
  readonly owner: Pick<Field, 'column'> | null
}

/** The variables of the policy's template: the rules for one record, and the same rules as the condition of a list. */
export function policyData(model: Ruled): object {
  const { names, owner } = model
  return {
    names,
    mayWrite: `(ctx: PolicyContext${owner ? `, ${names.record}: ${names.type}` : ''}) => ${writers(model)}`,
    rules: {
      canShow: canShow(model),
      canCreate: owner ? '(ctx) => ctx.userId !== null' : 'mayWrite',
      canUpdate: 'mayWrite',
      canDelete: 'mayWrite',
    },
    where: where(model),
  }
}

const ADMIN = "ctx.hasRole('admin')"

const writers = ({ names: { record }, owner }: Ruled): string =>
  owner ? `ctx.owns(${record}.${owner.column}) || ${ADMIN}` : ADMIN

function canShow(model: Ruled): string {
  const { names, readers } = model
  if (readers === 'everybody') return '() => true'
  // The audit reads roles in the text of each rule.
  if (typeof readers === 'object')
    return `(ctx, ${names.record}) => ${names.record}.${readers.when.column} || ${writers(model)}`
  return model.owner ? 'mayWrite' : '(ctx) => ctx.userId !== null'
}

function where({ owner, readers }: Ruled): string {
  if (readers === 'everybody') return '(_ctx, is) => is.lit(true)'
  const shown = [
    ...(typeof readers === 'object' ? [`is('${readers.when.column}', '=', true)`] : []),
    ...(owner ? [`is('${owner.column}', '=', ctx.userId)`] : []),
  ]
  if (shown.length === 0) return '(ctx, is) => is.lit(ctx.userId !== null)'
  const others = shown.length === 1 ? shown[0] : `is.or([${shown.join(', ')}])`
  return `(ctx, is) => ${ADMIN} ? is.lit(true) : ${others}`
}
