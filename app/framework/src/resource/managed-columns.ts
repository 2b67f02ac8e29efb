import type { Stored, TableName } from './tables.ts'

/** The columns that the framework maintains for a resource. No other code writes them. */
export interface ManagedColumns<
  SoftDelete extends boolean = boolean,
  Version extends boolean = boolean,
  UpdatedAt extends boolean = boolean,
> {
  /** `deleted_at` is null unless the row is in the trash. */
  readonly softDelete: SoftDelete
  /** `version` rises by one with each update. */
  readonly version: Version
  /** `updated_at` is the time of the last update. */
  readonly updatedAt: UpdatedAt
}

const COLUMNS = { softDelete: 'deleted_at', version: 'version', updatedAt: 'updated_at' } as const

type Option = keyof ManagedColumns

/** The names of the managed columns. */
export type ManagedColumn<Managed extends ManagedColumns> = {
  [O in Option]: Managed[O] extends true ? (typeof COLUMNS)[O] : never
}[Option]

/** A resource with `softDelete`, whose deleted rows are in the trash. */
export interface SoftDeleted {
  readonly managed: { readonly softDelete: true }
}

/** `unknown` if the table has the columns; else `never`, so that the option doesn't compile. */
type Requires<T extends TableName, Columns> = Stored<T> extends Columns ? unknown : never

/** The options of `resource()` that declare managed columns. */
export interface ManagedColumnOptions<
  T extends TableName,
  SoftDelete extends boolean,
  Version extends boolean,
  UpdatedAt extends boolean,
> {
  /** Deleting a row moves it to the trash. Needs `deleted_at timestamptz`. */
  softDelete?: SoftDelete & Requires<T, { deleted_at: string | null }>
  /** Counts updates, so that conflicting edits are detected. Needs `version integer not null default 1`. */
  version?: Version & Requires<T, { version: number }>
  /** Needs `updated_at timestamptz not null default now()`. */
  updatedAt?: UpdatedAt & Requires<T, { updated_at: string }>
}

export const managedColumns = (managed: ManagedColumns): string[] =>
  OPTIONS.filter((option) => managed[option]).map((option) => COLUMNS[option])

const OPTIONS = Object.keys(COLUMNS) as Option[]
