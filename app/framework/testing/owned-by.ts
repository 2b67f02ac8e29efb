import type { Resource, RowOf } from '../src/resource/resource.ts'

/**
 * Returns the values that make a record belong to this user, for a factory: `makePost({ ...ownedBy(Post, user) })`.
 * Empty if the resource has no owner.
 */
export const ownedBy = <R extends Resource>({ owner }: R, user: { id: number }): Partial<RowOf<R>> =>
  (owner === null ? {} : { [owner]: user.id }) as Partial<RowOf<R>>
