import { issuesInWords } from '../jobs/enqueue.ts'
import type { AnyMail } from './mail.ts'
import { checkedSubject } from './recipients.ts'

/** The most characters of the data as JSON. */
const LARGEST = 100_000

/** Returns the data as it arrives in the worker, which reads it from JSON. Throws if it is invalid then. */
export function storedData(mail: AnyMail, data: object): object {
  const text = JSON.stringify(data)
  if (text.length > LARGEST)
    throw new Error(
      `The data of ${mail.name} has ${text.length} characters. Pass up to ${LARGEST}: an address instead of a document.`,
    )
  const stored = JSON.parse(text) as object
  checkedSubject(mail.subject(parsedData(mail, stored)), mail.name)
  return stored
}

/** Parses data that was read from JSON. Throws an error without values if it is invalid. */
export function parsedData(mail: AnyMail, data: object): object {
  const { error, data: parsed } = mail.data.safeParse(data)
  if (error === undefined) return parsed
  throw new Error(`Invalid data for ${mail.name}: ${issuesInWords(error)}`)
}
