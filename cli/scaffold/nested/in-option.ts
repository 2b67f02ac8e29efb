import { type Command, Option } from 'commander'

export interface NestedOptions {
  /** The model on whose page the records stand. */
  readonly in?: string
  /** Whether the list of that model shows the number of records. */
  readonly count?: boolean
  /** Whether the records have pages of their own, too. */
  readonly pages?: boolean
}

/** The options without a value. */
export const NESTED = { count: true, pages: true }

/** Adds the options of a nested resource. */
export const nestedOptions = (command: Command): Command =>
  command
    .addOption(inOption)
    .option('--pages', 'with --in: give the records pages of their own, too')
    .option('--count', 'with --in: show the number of records in the list of this model')

/** A list of two values matches no model. The help loads this module, so that it imports no other of the scaffold. */
const inOption = new Option(
  '--in <model>',
  'show the records on the page of this model, whose readers see them',
).argParser((value, before?: string) => (before === undefined ? value : `${before},${value}`))
