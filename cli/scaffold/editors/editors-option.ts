import type { Command } from 'commander'

export interface EditorsOption {
  /** A field of type `many` with users. */
  readonly editors?: string
}

/** Adds the option for the users who can edit a record. */
export const editorsOption = (command: Command): Command =>
  command.option('--editors <field>', 'the list of users who can read and edit a record besides its owner')
