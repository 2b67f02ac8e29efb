import { z } from 'zod'

/** The recipient of a mail: an address, or one with the name that mail clients show. */
export type Recipient = string | { readonly name: string; readonly address: string }

/** An address with a name, which may be empty. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** The most recipients of a call. Larger numbers need a task that sends in batches. */
const MOST = 50

const LONGEST_ADDRESS = 254
/** Of the part before the `@` (RFC 5321). */
const LONGEST_MAILBOX = 64
const LONGEST_NAME = 100
const LONGEST_SUBJECT = 200

/** Characters that begin another header, or that mail clients don't show. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u

/** Returns the recipients. Throws if there are too many, or if one is not a single address. Errors don't contain addresses. */
export function checkedRecipients(to: Recipient | readonly Recipient[]): Mailbox[] {
  const recipients = Array.isArray(to) ? (to as readonly Recipient[]) : [to as Recipient]
  if (recipients.length === 0)
    throw new Error('The mail has no recipient. Pass at least one address as `to`.')
  if (recipients.length > MOST)
    throw new Error(
      `The mail has ${recipients.length} recipients. Pass up to ${MOST} at a time, and send larger numbers from a task.`,
    )
  return recipients.map((recipient) => {
    const { name, address } = typeof recipient === 'string' ? { name: '', address: recipient } : recipient
    if (!isAddress(address))
      throw new Error(
        'A recipient is not an email address. Pass a single address without a name, like alice@example.org.',
      )
    return { name: headerText(name, 'The name of a recipient', LONGEST_NAME), address }
  })
}

/** Returns whether this is one address of the form that browsers accept in an email field, in ASCII. */
export const isAddress = (text: unknown): text is string =>
  typeof text === 'string' &&
  text.length <= LONGEST_ADDRESS &&
  text.indexOf('@') <= LONGEST_MAILBOX &&
  z.regexes.html5Email.test(text)

/** Returns the subject. Throws if it is empty, too long or not one line. */
export function checkedSubject(subject: string, mail: string): string {
  if (typeof subject !== 'string' || subject.trim() === '')
    throw new Error(`The subject of ${mail} is empty. Return a text from its function subject.`)
  return headerText(subject, `The subject of ${mail}`, LONGEST_SUBJECT)
}

function headerText(text: string, what: string, longest: number): string {
  if (CONTROL.test(text))
    throw new Error(`${what} contains a line break or another control character. Replace it by a space.`)
  if (text.length > longest)
    throw new Error(`${what} has ${text.length} characters. Shorten it to ${longest}.`)
  return text
}

/** Parses `Pergola <no-reply@example.org>` or an address alone. Returns null for any other text. */
export function mailboxOf(text: string): Mailbox | null {
  const [, name, inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(text.trim()) ?? []
  const address = inBrackets ?? text.trim()
  if (!isAddress(address) || CONTROL.test(text)) return null
  return { name: (name ?? '').trim().replace(/^"(.*)"$/, '$1'), address }
}

/** Returns whether mails can have this sender: `Pergola <no-reply@example.org>`, or an address alone. */
export const isSender = (text: string): boolean => mailboxOf(text) !== null
