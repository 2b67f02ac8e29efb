/** Mails: declared with their templates, enqueued with `send`, delivered by `cli worker`. Imported as `pergola/mail`. */

// The declaration of a mail
export { type AnyMail, mail, type Mail } from './mail.ts'

// Sending
export { send, type MailContent } from './send.ts'
export type { Recipient } from './recipients.ts'

// Settings, and the job that delivers
export { type MailSettings, useMail } from './use-mail.ts'
export { isSender } from './recipients.ts'
export { sendMail } from './send-mail.ts'
export { checkMails, closeMail, loadDelivery, mailServerProblem } from './delivery.ts'

// The inbox of development
export { mailRoutes } from './mail-routes.ts'
