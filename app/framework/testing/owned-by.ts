import type { Resource, RowOf } from '../src/resource/resource.ts'

/** What a factory has to be told so that a record is this user's; nothing where records have no owner. */
export const ownedBy = <R extends Resource>({ owner }: R, user: { id: number }): Partial<RowOf<R>> =>
  (owner === null ? {} : { [owner]: user.id }) as Partial<RowOf<R>>
