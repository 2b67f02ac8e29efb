import { importLine } from '../code/snippets.ts'
import type { Target } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** Returns the names of the tenant's test code; null without a tenant. */
export const tenantData = ({ tenant, owner }: Model) =>
  tenant === undefined
    ? null
    : {
        one: tenant.names.human,
        share: `share${tenant.names.resource}(${(owner ? ['owner', 'stranger', 'admin'] : ['admin', 'member']).map((name) => `${name}.user`).join(', ')})`,
      }

/** Returns code for the values of a record that belongs to the writer. */
export function makesOf({ tenant, owner }: Model): string {
  const writer = owner ? 'owner' : 'admin'
  return [
    ...(tenant ? [`${tenant.column}: ${writer}.user.${tenant.column}, `] : []),
    ...(owner ? [`${owner.column}: ${writer}.user.id, `] : []),
  ].join('')
}

/** Returns code for the tenant of a referenced record. */
export const tenantOf = ({ tenant }: Model, target: Pick<Target, 'tenant'>, user: string): string =>
  tenant === undefined || target.tenant === undefined
    ? ''
    : `${tenant.column}: ${user}.user.${tenant.column}, `

/** Returns the import of the function that makes users share a tenant. */
export const sharingImport = ({ tenant }: Model): string[] =>
  tenant === undefined
    ? []
    : [
        importLine(
          `share${tenant.names.resource}`,
          `#app/${tenant.names.folder}/${tenant.names.file}.factory.ts`,
        ),
      ]
