import type { Resource } from '../resource/resource.ts'
import type { Listing } from './listing.ts'

/** The named lists of a repository. Each function receives the listing of the rows that the caller may see. */
export type Finders<R extends Resource> = Readonly<
  Record<string, (list: Listing<R>, ...args: never[]) => unknown>
>

/** The finders as methods of a listing. */
export type FindersOf<Options> = Options extends { finders: infer Named }
  ? {
      readonly [Name in keyof Named]: Named[Name] extends (list: never, ...args: infer Args) => infer Result
        ? (...args: Args) => Result
        : never
    }
  : unknown

/** Throws if a finder has the name of a method, or the name `then`, with which `await` would treat it as a promise. */
export function checkFinders({ name }: Resource, finders: object, methods: object): void {
  const reserved = [...Object.keys(methods), ...OTHER_METHODS, 'then']
  const clash = Object.keys(finders).find((finder) => reserved.includes(finder))
  if (clash !== undefined)
    throw new Error(`${name}: the finder '${clash}' has the name of a listing's method. Rename the finder.`)
}

const OTHER_METHODS = ['withTrashed', 'restore', 'purge', 'onPrimary', 'onReplica']

/** Returns the listing with its finders as methods. */
export function withFinders<R extends Resource>(list: Listing<R>, finders: Finders<R>): Listing<R> {
  const bound = Object.entries(finders).map(
    ([name, find]) => [name, (...args: never[]) => find(list, ...args)] as const,
  )
  return { ...list, ...Object.fromEntries(bound) }
}
