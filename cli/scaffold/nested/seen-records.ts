import { choiceFields, targetsOf } from '../code/model-fields.ts'
import { audienceOf, ownerOf } from '../code/readers-code.ts'
import { importLine } from '../code/snippets.ts'
import type { Field, Target } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { tenantOf } from '../tenants/tenant-test-code.ts'

/** Returns code of a function that creates a record that a user sees: it belongs to the user, and so do its parents. */
export function seenBy(...made: Parameters<typeof creation>): string {
  const code = creation(...made)
  return `${code.includes('await ') ? 'async ' : ''}() => ${code}`
}

function creation(model: Model, target: Pick<Target, 'names' | 'tenant'>, user: string, more = ''): string {
  const { resource, type } = target.names
  const up = model.above?.(resource)
  const parent = up ? `${up.column}: (await ${creation(model, up.target, user)}).id, ` : ''
  // The others share the tenant of the first user, whom a nested resource always has.
  const before = tenantOf(model, target, model.parent || model.owner ? 'owner' : 'admin')
  const owned = `ownedBy(${type}, ${user}.user)`
  return `make${resource}(${parent || before || more ? `{ ${before}...${owned}, ${parent}${more}}` : owned})`
}

/** Returns code that creates the records to which the form refers. The writer can see them. */
export const referencedRecords = (model: Model) =>
  targetsOf(choiceFields(model))
    .filter(({ isUser }) => !isUser)
    .map((target) => ({
      variable: variableOf(target),
      target,
      code: seenBy(model, target, model.owner ? 'owner' : 'admin'),
    }))

/** Adds the parents of these resources, whose records the test creates too. */
export function withParents({ above }: Model, targets: readonly Target[]): Target[] {
  const all = new Map(targets.map((target) => [target.names.resource, target]))
  for (const { names } of all.values()) {
    const up = above?.(names.resource)?.target
    if (up) all.set(up.names.resource, up)
  }
  return [...all.values()]
}

/** Returns code for the reference of a record to the parent that the writer sees. */
export const parentOf = ({ within }: Model): string =>
  within ? `${within.field.column}: ${variableOf(within.field.target)}.id, ` : ''

export const variableOf = (target: Field['target']) => `a${target?.names.resource}`

/** The variables of the tests of records whose rules follow a parent; null for others. */
export function withinData(model: Model) {
  const { within, owner } = model
  if (within === undefined) return null
  const { names, readers, editors } = within.model
  const { target } = within.field
  const [writer, other] = owner ? ['owner', 'stranger'] : ['admin', 'member']
  return {
    ...names,
    column: within.field.column,
    variable: variableOf(within.field.target),
    // A parent that the owner of the record doesn't see.
    foreign:
      owner && ownerOf(model) && audienceOf(model) === 'owner' ? seenBy(model, target, 'stranger') : null,
    // Other users than the writer who see the record, and code of the parent that shows it to them.
    insiders: [
      ...(within.model.owner || ownerOf(model) ? [{ who: 'owner', code: seenBy(model, target, other) }] : []),
      ...(editors
        ? [
            {
              who: editors.label.toLowerCase(),
              code: seenBy(model, target, writer, `${editors.column}: [${other}.user.id]`),
            },
          ]
        : []),
    ],
    hidden: typeof readers === 'object' ? `{ ${readers.when.column}: false }` : null,
  }
}

/** Returns the imports of these resources and their factories. */
export const targetImports = (targets: readonly Target[]): string[] =>
  targets.flatMap(({ names, isUser }) => {
    const file = `#app/${names.folder}/${names.file}`
    const factory = isUser ? [] : [importLine(`make${names.resource}`, `${file}.factory.ts`)]
    return [...factory, importLine(names.type, `${file}.ts`)]
  })
