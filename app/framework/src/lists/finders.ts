import type { Resource } from '../resource/resource.ts'
import type { Listing } from './listing.ts'

/** Lists with a name, of what the caller may see. */
export type Finders<R extends Resource> = Readonly<
  Record<string, (list: Listing<R>, ...asked: never[]) => unknown>
>

/** The same, as methods of a listing. */
export type FindersOf<Options> = Options extends { finders: infer Named }
  ? {
      readonly [Name in keyof Named]: Named[Name] extends (list: never, ...asked: infer Asked) => infer Found
        ? (...asked: Asked) => Found
        : never
    }
  : unknown

/** Throws for a finder that would hide a method, or make a promise of the list. */
export function checkFinders({ name }: Resource, finders: object, methods: object): void {
  const reserved = [...Object.keys(methods), ...TRASH_METHODS, 'then']
  const clash = Object.keys(finders).find((finder) => reserved.includes(finder))
  if (clash !== undefined)
    throw new Error(`${name}: '${clash}' is there already. Give this finder another name.`)
}

const TRASH_METHODS = ['withTrashed', 'restore', 'purge']

/** The listing with its finders. */
export function withFinders<R extends Resource>(list: Listing<R>, finders: Finders<R>): Listing<R> {
  const bound = Object.entries(finders).map(
    ([name, find]) => [name, (...asked: never[]) => find(list, ...asked)] as const,
  )
  return { ...list, ...Object.fromEntries(bound) }
}
