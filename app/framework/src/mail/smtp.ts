import type { Transporter } from 'nodemailer'
import { compose } from './compose.ts'
import type { OutgoingMail } from './render-mail.ts'
import { smtpFailure } from './smtp-failure.ts'
import type { MailSettings } from './use-mail.ts'

/** The connections of a process, which the databases of several shards share. */
const pools = new Map<MailSettings, Promise<Transporter>>()

/** Sends a mail to the server of the settings. Throws `Unrecoverable` if the server rejects it for good. */
export async function sendBySmtp(settings: MailSettings, mail: OutgoingMail): Promise<void> {
  // Not in the block below, whose errors name the mail server.
  const composed = compose(settings, mail)
  const pool = await poolOf(settings)
  try {
    await pool.sendMail(composed)
  } catch (error) {
    throw smtpFailure(error, { url: settings.url ?? '', recipient: mail.to.address })
  }
}

export async function mailServerProblem(settings: MailSettings): Promise<string | null> {
  const url = settings.url ?? ''
  if (!/^smtps?:/.test(url)) return null
  try {
    await (await poolOf(settings)).verify()
    return null
  } catch (error) {
    return smtpFailure(error, { url, recipient: '' }).message
  } finally {
    await closePools()
  }
}

export async function closePools(): Promise<void> {
  const open = [...pools.values()]
  pools.clear()
  for (const pool of open) (await pool).close()
}

function poolOf(settings: MailSettings): Promise<Transporter> {
  const opened = pools.get(settings) ?? openPool(settings)
  pools.set(settings, opened)
  return opened
}

export const loadNodemailer = () => import('nodemailer')

async function openPool({ url, timeout }: MailSettings): Promise<Transporter> {
  const { createTransport } = await loadNodemailer()
  const server = new URL(url ?? '')
  const isEncrypted = server.protocol === 'smtps:'
  // Connections within this machine can't be read on the network, and its servers rarely have a valid certificate.
  const isLocal = isLoopback(server.hostname)
  const [user, pass] = [server.username, server.password].map(decodeURIComponent)
  return createTransport({
    pool: true,
    host: server.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(server.port) || (isEncrypted ? 465 : 587),
    secure: isEncrypted,
    requireTLS: !isLocal,
    opportunisticTLS: isLocal,
    tls: { rejectUnauthorized: !isLocal },
    ...(user !== '' && { auth: { user, pass } }),
    maxConnections: CONNECTIONS,
    // The job repeats the mail after a pause. The pool would repeat it at once, without end.
    maxRequeues: 0,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    dnsTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** As many as mails are delivered at once. */
const CONNECTIONS = 5

const isLoopback = (host: string) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host)
