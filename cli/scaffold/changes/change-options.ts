import type { Command } from 'commander'

/** The changes of a command line to the fields of a resource. */
export interface ChangeOptions {
  /** `due_date:due_at` */
  readonly rename?: readonly string[]
  readonly remove?: readonly string[]
  /** The new declaration: `priority:integer`. */
  readonly type?: readonly string[]
  readonly require?: readonly string[]
  readonly twoSteps?: boolean
  /** The new name of the resource. */
  readonly renameModel?: string
}

/** Adds these options to a command. The help needs them, so this module imports nothing else of the scaffold. */
export const changeOptions = (command: Command): Command =>
  command
    .option('--rename <old:new>', 'rename a field', repeated)
    .option('--remove <field>', 'remove a field, with its values', repeated)
    .option('--type <field:type>', 'change the type of a field', repeated)
    .option('--require <field>', 'make a nullable field required', repeated)
    .option('--rename-model <name>', 'rename the resource, with its files, table and routes')
    .option('--two-steps', 'for a change without downtime, write a second migration for the next deploy')

export const isChange = ({ rename, remove, type, require, twoSteps, renameModel }: ChangeOptions): boolean =>
  [rename, remove, type, require, twoSteps, renameModel].some((value) => value !== undefined)

const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value]
