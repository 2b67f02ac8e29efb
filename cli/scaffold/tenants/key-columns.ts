import type { Model, Tenants } from '../model.ts'

/** Returns the columns of a key or an index as code: they begin with the tenant. */
export const keyColumns = ({ tenant }: Pick<Model, 'tenant'>, ...columns: string[]): string =>
  [...(tenant ? [tenant.column] : []), ...columns].map((column) => `'${column}'`).join(', ')

/** Returns the parts of the code that adds the column with the tenant. */
export const tenantColumn = ({ names: { table }, column }: Tenants) => ({
  name: column,
  type: 'bigint',
  modifiers: `.notNull().references('${table}.id').onDelete('restrict')`,
})
