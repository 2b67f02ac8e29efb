import type { Model } from '../model.ts'

/** Returns the columns of a key or an index as code: they begin with the tenant. */
export const keyColumns = ({ tenant }: Pick<Model, 'tenant'>, ...columns: string[]): string =>
  [...(tenant ? [tenant.column] : []), ...columns].map((column) => `'${column}'`).join(', ')
