import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** The parts of a model that the rules depend on. */
export interface Ruled extends Pick<Model, 'names' | 'readers'> {
  readonly owner: Pick<Field, 'column'> | null
}

/** The variables of the policy's template: the rules for one record, and the same rules as the condition of a list. */
export function policyData(model: Ruled): object {
  const { names, owner } = model
  const write = owner ? rule(model, [owns(model), ADMIN]) : `(ctx) => ${ADMIN}`
  return {
    names,
    rules: {
      canShow: canShow(model),
      canCreate: owner ? '(ctx) => ctx.userId !== null' : `(ctx) => ${ADMIN}`,
      canUpdate: write,
      canDelete: write,
    },
    where: where(model),
  }
}

const ADMIN = "ctx.hasRole('admin')"

const owns = ({ names, owner }: Ruled) => `ctx.owns(${names.record}.${owner?.column})`

const rule = ({ names }: Ruled, allowed: readonly string[]) =>
  `(ctx, ${names.record}) => ${allowed.join(' || ')}`

function canShow(model: Ruled): string {
  const { names, owner, readers } = model
  if (readers === 'everybody') return '() => true'
  const mine = owner ? [owns(model), ADMIN] : [ADMIN]
  if (typeof readers === 'object') return rule(model, [`${names.record}.${readers.when.column}`, ...mine])
  return owner ? rule(model, mine) : '(ctx) => ctx.userId !== null'
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
