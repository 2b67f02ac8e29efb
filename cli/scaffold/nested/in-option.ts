import { Option } from 'commander'
import { namesOf } from '../read/names.ts'

/** A list of two values matches no model. */
export const inOption = new Option(
  '--in <model>',
  'show the records on the page of this model, not on pages of their own',
).argParser((value, before?: string) => {
  const { file } = namesOf(value)
  return before === undefined ? file : `${before},${file}`
})
