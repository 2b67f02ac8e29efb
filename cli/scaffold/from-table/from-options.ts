import { type Command, Option } from 'commander'

/** Where the table of a resource comes from, if no migration of the scaffold created it. */
export interface FromTable {
  /** The table that existed before the resource. */
  readonly fromTable?: string
  /** Its columns that no field has, as JSON: `[{"name":"fulltext","type":"string | null"}]`. */
  readonly otherColumns?: string
}

/** A column that no field has, and its type in the type of the table. */
export interface OtherColumn {
  readonly name: string
  readonly type: string
}

/** What `--from-table` does besides the scaffold. */
export interface FromOptions extends FromTable {
  readonly fromSchema?: boolean
  readonly adapt?: boolean
}

/** Adds the options that the record of a resource has. The help loads this module, so that it imports no other. */
export const tableOptions = (command: Command): Command =>
  command
    .option('--from-table <table>', 'create the resource of an existing table')
    .addOption(new Option('--other-columns <declarations>').hideHelp())

export const fromOptions = (command: Command): Command =>
  command
    .option(
      '--adapt',
      'with --from-table: write a migration that changes the table where a resource needs it',
    )
    .option('--from-schema', 'print the commands for all tables without a resource')

/** Returns the part of a model that these options declare. */
export const fromTableOf = ({ fromTable, otherColumns }: FromTable): FromTable => ({
  ...(fromTable !== undefined && { fromTable }),
  ...(otherColumns !== undefined && { otherColumns }),
})

/** Returns the columns that no field has, from their declarations. */
export const otherColumnsOf = ({ otherColumns = '[]' }: FromTable): OtherColumn[] =>
  JSON.parse(otherColumns) as OtherColumn[]
