import { type Command, Option } from 'commander'

/** Adds the options of a nested resource. */
export const nestedOptions = (command: Command): Command =>
  command
    .addOption(inOption)
    .option('--count', 'with --in: show the number of records in the list of this model')

/** A list of two values matches no model. The help loads this module, so that it imports no other of the scaffold. */
const inOption = new Option(
  '--in <model>',
  'show the records on the page of this model, not on pages of their own',
).argParser((value, before?: string) => (before === undefined ? value : `${before},${value}`))
