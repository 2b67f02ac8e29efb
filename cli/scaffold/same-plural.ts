import { ask } from '../ask.ts'
import { Exit, EXIT } from '../exit.ts'
import { isNameOf, scaffoldNamed } from './project/record.ts'

/** Asks before `cli scaffold news` adds fields to New, whose plural is also news. `no` throws. */
export async function confirmSamePlural(
  root: string,
  name: string,
  terminal?: Parameters<typeof ask>[2],
): Promise<void> {
  const record = scaffoldNamed(root, name)
  if (record === null || isNameOf(name, record.names)) return
  const { resource, file, table } = record.names
  const instead =
    `${name} is the plural of ${resource}, with the table ${table}. To add fields to it, use the name ` +
    `${file.replaceAll('-', '_')}. For a new resource, choose another plural with --plural.`
  const question = `${name} is the plural of ${resource}. Add the fields to ${resource}? [y/N] `
  const answer = await ask(question, `${instead} No files were written.`, terminal)
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Exit(EXIT.usage, `${instead} No files were written.`)
}
