import { Unrecoverable } from '../jobs/unrecoverable.ts'

/** The fields of nodemailer's errors. */
interface SmtpError extends Error {
  /** The kind of error: `EAUTH`, `ETLS`, `ESOCKET`, … */
  readonly code?: string
  /** The code of the server's reply, such as 550. */
  readonly responseCode?: number
  /** The command that failed: `RCPT TO`. */
  readonly command?: string
}

interface Delivery {
  readonly url: string
  readonly recipient: string
}

/** Commands whose rejection concerns this mail, rather than the server's configuration. */
const OF_THE_MAIL = new Set(['RCPT TO', 'DATA'])

/**
 * Returns an error for the log and the list of dead letters: without addresses, and with the remedy if it is known. It is
 * `Unrecoverable` if the server rejected the recipient or the content for good.
 */
export function smtpFailure(error: unknown, { url, recipient }: Delivery): Error {
  const { code = '', responseCode = 0, command = '', message } = error as SmtpError
  const reason = withoutAddresses(message, recipient)
  const { host } = new URL(url)
  if (responseCode >= 500 && OF_THE_MAIL.has(command))
    return new Unrecoverable(`The mail server ${host} rejected the mail: ${reason}`)
  if (code === 'EAUTH')
    return new Error(`The mail server ${host} rejected the user name or the password of MAIL__URL: ${reason}`)
  if (/certificate|altnames|CERT/i.test(message))
    return new Error(
      `The mail server ${host} has no valid certificate: ${reason}. Set the name of its certificate in MAIL__URL, or its authority in NODE_EXTRA_CA_CERTS.`,
    )
  if (code === 'ETLS')
    return new Error(
      `The mail server ${host} offers no encryption with STARTTLS: ${reason}. Try smtps:// in MAIL__URL.`,
    )
  return new Error(`The mail server ${host} could not be used: ${reason}`)
}

/** Replaces all addresses, and the name of the recipient's mailbox, which servers quote in replies. */
function withoutAddresses(text: string, recipient: string): string {
  const hidden = text.replace(/[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;]+/g, '(address)')
  const [name = ''] = recipient.split('@')
  return name === ''
    ? hidden
    : hidden.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`, 'gi'), '(name)')
}
