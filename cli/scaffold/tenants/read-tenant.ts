import type { Existing } from '../existing.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Tenants } from '../model.ts'
import { type Problems, wholeOf } from '../read/command-line-problems.ts'
import type { ModelOptions } from '../read/options.ts'

/** Returns the tenants of `--tenant account_id`, or undefined without the option. Reports every problem. */
export function readTenant(
  options: ModelOptions,
  fields: readonly Field[],
  { existing: { tenants }, problems }: { existing: Existing; problems: Problems },
): Tenants | undefined {
  const { tenant: column } = options
  if (column === undefined) {
    refuseTargets(fields, problems)
    return undefined
  }
  const option = wholeOf(`--tenant ${column}`)
  if (!/^[a-z]\w*_id$/.test(column))
    problems.add(option, 'Name the column of the users that contains their tenant, like account_id.')
  else if (tenants === undefined)
    problems.add(
      option,
      `Users have no ${column} yet. Create it first: npx cli generate tenant ${column.replace(/_id$/, '')}`,
    )
  else if (tenants.column !== column)
    problems.add(option, `The tenants of users are ${tenants.names.humans}: use --tenant ${tenants.column}.`)
  if (options.publicRead === true || options.publicWhen !== undefined)
    problems.add(option, 'Guests have no tenant, so they can’t read records: remove the option --public-….')
  const repeated = fields.find((field) => field.column === column)
  if (repeated !== undefined)
    problems.add(wholeOf(repeated.name), `${column} is the tenant, which the server fills in: remove it.`)
  return tenants
}

/** Reports references to records with a tenant: without the tenant, the reference could lead to those of another one. */
function refuseTargets(fields: readonly Field[], problems: Problems): void {
  for (const { name, target } of fields)
    if (target?.tenant !== undefined && !target.isUser)
      problems.add(
        wholeOf(name),
        `${target.names.titles} have a tenant, and records that refer to them need it too: add --tenant ${target.tenant}.`,
      )
}
