import { importLine } from '../code/snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'

/** Returns the variables of the factory, in the order in which they depend on each other. */
export function parentsOf({ tenant, owner }: Model, parents: readonly Field[]): string[] {
  if (tenant === undefined)
    return parents.map(({ column, target }) => `${column} = (await make${target?.names.resource}()).id`)
  const { column, names } = tenant
  return [
    ...(owner ? [made(owner, `values.${column}`)] : []),
    `${column} = ${owner ? `await ${names.one}IdOf(${owner.column})` : `await new${names.resource}Id()`}`,
    ...parents.filter((parent) => parent !== owner).map((parent) => made(parent, column)),
  ]
}

/** Returns code for a referenced record of the same tenant, whose id is in the variable `given`. */
const made = (field: Field, given: string) =>
  field.target?.isUser
    ? `${field.column} = await newMemberId(${given})`
    : `${field.column} = (await make${field.target?.names.resource}(${field.target?.tenant === undefined ? '' : `{ ${given} }`})).id`

/** Returns the imports of the helpers for tenants. */
export function tenantImports({ tenant, owner }: Model, parents: readonly Field[]): string[] {
  if (tenant === undefined) return []
  const { folder, file, one, resource } = tenant.names
  const helpers = [
    ...(owner ? [] : [`new${resource}Id`]),
    ...(parents.some(({ target }) => target?.isUser) ? ['newMemberId'] : []),
  ]
  return [
    "import { withTenant } from 'pergola'",
    ...(owner ? [importLine(`${one}IdOf`, `#app/${folder}/${file}.ts`)] : []),
    ...(helpers.length > 0 ? [importLine(helpers.join(', '), `#app/${folder}/${file}.factory.ts`)] : []),
  ]
}

/** Returns the call that inserts the values, as its beginning and its end. */
export function insertOf({ names, tenant }: Model): { before: string; after: string } {
  const before = `${names.many}.asSystem('factory').insert(`
  return tenant === undefined
    ? { before, after: ')' }
    : { before: `withTenant(${tenant.column}, () => ${before}`, after: '))' }
}
