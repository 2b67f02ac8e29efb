import { Unrecoverable } from '../jobs/unrecoverable.ts'

/** The fields of nodemailer's errors. */
interface SmtpError extends Error {
  /** The kind of error: `EAUTH`, `ETLS`, `ESOCKET`, … */
  readonly code?: string
  /** The code of the error that nodemailer received from Node: `CERT_HAS_EXPIRED`. */
  readonly originalCode?: string
  /** The server's reply: `550 5.1.1 No such user`. */
  readonly response?: string
  /** The command that failed: `RCPT TO`. */
  readonly command?: string
}

/** Commands whose rejection may concern this mail alone. */
const OF_THE_MAIL = new Set(['RCPT TO', 'DATA'])

/**
 * Enhanced codes about the recipient's address (5.1), its mailbox (5.2) or the content (5.6). Others concern the server's
 * configuration, which can be repaired: 5.4.5 is a daily limit, 5.7.1 is relaying denied. 5.1.7 and 5.1.8 concern the sender.
 */
const FINAL_ENHANCED = /^5\.(?:1\.(?![78]$)|2\.|6\.)/

/** Replies about the mailbox or the content, from servers without enhanced codes. */
const FINAL = new Set(['550', '552', '553', '554'])

/** Node's codes for a certificate that can't be verified. */
const CERTIFICATE =
  /(?:^|_)CERT(?:_|$)|^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/

/**
 * Returns an error for the log and the list of dead letters: without addresses, and with the remedy if it is known. It is
 * `Unrecoverable` if the server rejected the recipient or the content for good.
 */
export function smtpFailure(error: unknown, { url, recipient }: Record<'url' | 'recipient', string>): Error {
  const { code = '', originalCode = '', response = '', command = '', message } = error as SmtpError
  const reason = withoutAddresses(message, recipient)
  const { host } = new URL(url)
  if (response.startsWith('5') && OF_THE_MAIL.has(command)) {
    const rejection = `The mail server ${host} rejected the mail: ${reason}`
    return isFinal(response) ? new Unrecoverable(rejection) : new Error(rejection)
  }
  if (code === 'EAUTH')
    return new Error(`The mail server ${host} rejected the user name or the password of MAIL__URL: ${reason}`)
  if (CERTIFICATE.test(originalCode))
    return new Error(
      `The mail server ${host} has no valid certificate: ${reason}. Set the name of its certificate in MAIL__URL, or its authority in NODE_EXTRA_CA_CERTS.`,
    )
  if (code === 'ETLS')
    return new Error(
      `The mail server ${host} offers no encryption with STARTTLS: ${reason}. Try smtps:// in MAIL__URL.`,
    )
  return new Error(`The mail server ${host} could not be used: ${reason}`)
}

/** Returns whether a reply such as `550 5.1.1 No such user` rejects this mail whenever it is sent. */
function isFinal(response: string): boolean {
  const [, reply = '', enhanced] = /^(\d{3})(?:[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S))?/.exec(response) ?? []
  return enhanced === undefined ? FINAL.has(reply) : FINAL_ENHANCED.test(enhanced)
}

/** An address. The lookbehind prevents a new search at each character of a long word. */
const ADDRESS = /(?<![^\s<>()[\]"',;:])[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;]+/g

/** Replaces all addresses, and the name of the recipient's mailbox, which servers quote in replies. */
function withoutAddresses(text: string, recipient: string): string {
  const hidden = text.replace(ADDRESS, '(address)')
  const [name = ''] = recipient.split('@')
  return name === ''
    ? hidden
    : hidden.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`, 'gi'), '(name)')
}
