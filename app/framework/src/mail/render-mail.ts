import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { formatDate, formatDateTime, formatMoney } from '../http/views/view-helpers.ts'
import { renderView } from '../http/views/view-errors.ts'
import { inContext, textViewsIn, viewsIn } from '../http/views/views.ts'
import { parsedData } from './mail-data.ts'
import type { AnyMail } from './mail.ts'
import { checkedSubject, type Mailbox } from './recipients.ts'
import type { MailSettings } from './use-mail.ts'
import { weakMemoize } from '../resource/memoize.ts'

const FORMATS = { formatDate, formatDateTime, formatMoney }

/** A mail as its recipient receives it. */
export interface RenderedMail {
  readonly name: string
  readonly to: Mailbox
  readonly subject: string
  readonly html: string
  readonly text: string
  /** The data, as `send` received it. */
  readonly data: object
}

/** A mail that is ready for delivery. */
export interface OutgoingMail extends RenderedMail {
  /** The id of its job, which its Message-ID contains: each attempt has the same one. */
  readonly id: string
}

/** Renders the templates of a mail. Throws an error that names the template, or the invalid data. */
export function renderMail(
  settings: MailSettings,
  mail: AnyMail,
  { to, data }: { to: Mailbox; data: object },
): RenderedMail {
  const { html, text } = viewsOf(settings)
  const values = parsedData(mail, data)
  const subject = checkedSubject(mail.subject(values), mail.name)
  const it = inContext({ subject, appName: settings.appName, ...FORMATS }, values)
  const [htmlFile, textFile] = templatesOf(mail)
  return {
    name: mail.name,
    to,
    subject,
    html: renderView(html, htmlFile, it),
    text: inLines(renderView(text, textFile, it)),
    data,
  }
}

/** Renders a mail from its example. */
export const previewMail = (settings: MailSettings, mail: AnyMail): RenderedMail =>
  renderMail(settings, mail, { to: { name: '', address: 'alice@example.org' }, data: mail.example as object })

/** Renders every mail from its example. Throws for the first mail that lacks a template or can't be rendered. */
export function renderExamples(settings: MailSettings): void {
  for (const mail of settings.mails) {
    const missing = templatesOf(mail).find((file) => !existsSync(join(settings.views, file)))
    if (missing !== undefined)
      throw new Error(`The mail ${mail.name} needs the template views${missing}, which does not exist.`)
    previewMail(settings, mail)
  }
}

/** Returns the paths of the templates below the folder of the views: `/mails/password_reset.eta`. */
function templatesOf({ name }: AnyMail): [html: string, text: string] {
  const path = `/mails/${name.replaceAll('-', '_')}`
  return [`${path}.eta`, `${path}.text.eta`]
}

const viewsOf = weakMemoize(({ views, development }: MailSettings) => ({
  html: viewsIn(views, { development, isLazy: true }),
  text: textViewsIn(views, { development }),
}))

/** Removes spaces at the ends of lines, and repeated empty lines, which tags leave. */
const inLines = (text: string) =>
  `${text
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
