import { Option } from 'commander'

/** A list of two values matches no model. The help loads this module, so that it imports no other of the scaffold. */
export const inOption = new Option(
  '--in <model>',
  'show the records on the page of this model, not on pages of their own',
).argParser((value, before?: string) => (before === undefined ? value : `${before},${value}`))
