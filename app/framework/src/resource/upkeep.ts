import type { Resource } from './resource.ts'
import type { Stored } from './tables.ts'

/** The columns that repositories maintain, by the option that enables each. */
const COLUMNS = { softDelete: 'deleted_at', version: 'version', updatedAt: 'updated_at' } as const

type Option = keyof typeof COLUMNS
interface Needs {
  softDelete: { deleted_at: string | null }
  version: { version: number }
  updatedAt: { updated_at: string }
}

/** Each option compiles only if the table has its column. */
export type UpkeepOptions<R extends Resource> = {
  readonly [O in Option]?: Stored<R['table']> extends Needs[O] ? true : never
}

/** The columns that a repository with these options maintains. */
export type UpkeepColumn<Options> = {
  [O in Option]: Options extends Record<O, true> ? (typeof COLUMNS)[O] : never
}[Option]

const kept = new WeakMap<Resource, ReadonlySet<Option>>()

/**
 * Registers the maintained columns of a resource, for code that knows only the resource. They stay registered even if
 * another repository of the resource lacks the option. Throws if a client could write one of the columns.
 */
export function keepUp(resource: Resource, options: Readonly<Partial<Record<Option, unknown>>>): void {
  const enabled = OPTIONS.filter((option) => options[option] === true)
  for (const option of enabled) {
    if (!(COLUMNS[option] in resource.input.shape)) continue
    throw new Error(`${resource.name}: '${COLUMNS[option]}' is written by the server. Remove it from input.`)
  }
  kept.set(resource, new Set([...(kept.get(resource) ?? []), ...enabled]))
}

export const keepsUp = (resource: Resource, option: Option): boolean =>
  kept.get(resource)?.has(option) ?? false

export const upkeepColumns = (resource: Resource): string[] =>
  OPTIONS.filter((option) => keepsUp(resource, option)).map((option) => COLUMNS[option])

/** Returns the columns that no client can change: the declared immutable ones, and the maintained ones. */
export const immutableColumns = (resource: Resource): string[] => [
  ...resource.immutable,
  ...upkeepColumns(resource),
]

const OPTIONS = Object.keys(COLUMNS) as Option[]
