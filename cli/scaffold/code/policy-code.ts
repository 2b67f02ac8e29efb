import { editorConditions, orEditor } from '../editors/editors.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** The parts of a model that the rules depend on. */
export interface Ruled extends Pick<Model, 'names' | 'readers' | 'editors'> {
  readonly owner: Pick<Field, 'column'> | null
}

/** The variables of the policy's template: the rules for one record, and the same rules as the condition of a list. */
export function policyData(model: Ruled): object {
  const { names, owner, editors } = model
  const rule = (text: string) =>
    `(ctx: PolicyContext${text.includes(names.record) ? `, ${names.record}: ${names.type}` : ''}) => ${text}`
  return {
    names,
    mayWrite: rule(writers(model)),
    mayEdit: editors && rule(changers(model)),
    rules: {
      canShow: canShow(model),
      canCreate: owner ? '(ctx) => ctx.userId !== null' : 'mayWrite',
      canUpdate: editors ? 'mayEdit' : 'mayWrite',
      canDelete: 'mayWrite',
    },
    where: where(model),
  }
}

const ADMIN = "ctx.hasRole('admin')"

const writers = ({ names: { record }, owner }: Ruled): string =>
  owner ? `ctx.owns(${record}.${owner.column}) || ${ADMIN}` : ADMIN

// The audit reads roles in the text of each rule.
const changers = (model: Ruled): string => writers(model) + orEditor(model)

function canShow(model: Ruled): string {
  const { names, owner, readers, editors } = model
  if (readers === 'everybody') return '() => true'
  if (typeof readers === 'object')
    return `(ctx, ${names.record}) => ${names.record}.${readers.when.column} || ${changers(model)}`
  if (editors) return 'mayEdit'
  return owner ? 'mayWrite' : '(ctx) => ctx.userId !== null'
}

function where(model: Ruled): string {
  const { owner, readers } = model
  if (readers === 'everybody') return '(_ctx, is) => is.lit(true)'
  const shown = [
    ...(typeof readers === 'object' ? [`is('${readers.when.column}', '=', true)`] : []),
    ...(owner ? [`is('${owner.column}', '=', ctx.userId)`] : []),
    ...editorConditions(model),
  ]
  if (shown.length === 0) return '(ctx, is) => is.lit(ctx.userId !== null)'
  const others = shown.length === 1 ? shown[0] : `is.or([${shown.join(', ')}])`
  return `(ctx, is) => ${ADMIN} ? is.lit(true) : ${others}`
}
