import { loadEta, loadIronSession } from '../http/server-packages.ts'
import type { MailSettings } from './use-mail.ts'

// Like rendering, loaded on first use, since the server delivers no mails.
const smtp = () => import('./smtp.ts')

/** Loads the modules that deliver mails, so that a worker doesn't read their files later. */
export async function loadDelivery(): Promise<void> {
  loadEta()
  loadIronSession()
  await Promise.all([import('./deliver-queued.ts'), (await smtp()).loadNodemailer()])
}

/**
 * Renders every mail from its example, which also compiles the templates. Throws for the first mail that lacks a template
 * or can't be rendered. Call it before a worker starts.
 */
export const checkMails = async (settings: MailSettings): Promise<void> =>
  (await import('./render-mail.ts')).renderExamples(settings)

/** Connects to the mail server and signs in. Returns why that fails, or null. */
export const mailServerProblem = async (settings: MailSettings): Promise<string | null> =>
  (await smtp()).mailServerProblem(settings)

/** Closes the connections to mail servers, so that a worker can end. */
export const closeMail = async (): Promise<void> => (await smtp()).closePools()
