import type { Resource } from './resource.ts'
import type { Stored } from './tables.ts'

/** The columns that a repository keeps up by itself, under the option that asks for it. */
const COLUMNS = { softDelete: 'deleted_at', version: 'version', updatedAt: 'updated_at' } as const

type Option = keyof typeof COLUMNS
interface Needs {
  softDelete: { deleted_at: string | null }
  version: { version: number }
  updatedAt: { updated_at: string }
}

/** Each compiles only where the table has its column. */
export type UpkeepOptions<R extends Resource> = {
  readonly [O in Option]?: Stored<R['table']> extends Needs[O] ? true : never
}

/** The columns that a repository with these options keeps up. */
export type UpkeepColumn<Options> = {
  [O in Option]: Options extends Record<O, true> ? (typeof COLUMNS)[O] : never
}[Option]

const kept = new WeakMap<Resource, ReadonlySet<Option>>()

/**
 * Says what is kept up for a resource, for whoever knows only the resource. Once said it holds, whatever another
 * repository says. Throws when a client could write one of the columns.
 */
export function keepUp(resource: Resource, options: Readonly<Partial<Record<Option, unknown>>>): void {
  const asked = OPTIONS.filter((option) => options[option] === true)
  for (const option of asked) {
    if (!(COLUMNS[option] in resource.input.shape)) continue
    throw new Error(`${resource.name}: '${COLUMNS[option]}' is the server's to write. Take it out of input.`)
  }
  kept.set(resource, new Set([...(kept.get(resource) ?? []), ...asked]))
}

export const keepsUp = (resource: Resource, option: Option): boolean =>
  kept.get(resource)?.has(option) ?? false

export const upkeepColumns = (resource: Resource): string[] =>
  OPTIONS.filter((option) => keepsUp(resource, option)).map((option) => COLUMNS[option])

/** The columns that no client can change: those that the resource declares, and those that are kept up. */
export const immutableColumns = (resource: Resource): string[] => [
  ...resource.immutable,
  ...upkeepColumns(resource),
]

const OPTIONS = Object.keys(COLUMNS) as Option[]
