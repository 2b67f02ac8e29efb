import type { Request, Response } from 'express'
import { NotFound } from '../http/errors.ts'
import { render } from '../http/views/render.ts'
import type { Access, Guard, Handler, Routes } from '../http/routes/route-types.ts'
import { routes } from '../http/routes/routes.ts'
import type { StoredMail } from './mail-folder.ts'
import type { RenderedMail } from './render-mail.ts'
import type { MailSettings } from './use-mail.ts'

// Loaded on first use, since production has no inbox.
const folder = () => import('./mail-folder.ts')

/**
 * Returns the routes of an inbox for development: the mails that were stored in the folder of the settings, and a preview
 * of each declared mail. The pages are the application's views `dev/mails` and `dev/mail`. `guards` are those of each
 * route:
 *
 * ```ts
 * mailRoutes('/_dev/mail', [publicRoute()], mailSettings(config))
 * ```
 */
export function mailRoutes<const Base extends string>(
  base: Base,
  guards: readonly [Access, ...Guard[]],
  settings: MailSettings,
): Routes<Base> {
  const { mails } = settings
  const index: Handler = async (_req, res) => {
    const isStored = isFolder(settings)
    const stored = isStored ? await (await folder()).storedMails(settings) : []
    await render(res, 'dev/mails', { isStored, stored, mails, url: destination(settings), mailPath: base })
  }
  const stored = async ({ params }: Request) => {
    const found = isFolder(settings)
      ? await (await folder()).storedMail(settings, String(params['id']))
      : null
    if (found === null) throw new NotFound()
    return found
  }
  const preview = async ({ params }: Request) => {
    const mail = mails.find(({ name }) => name === params['name'])
    if (mail === undefined) throw new NotFound()
    return (await import('./render-mail.ts')).previewMail(settings, mail)
  }
  return routes(base, {
    'GET /': [...guards, index],
    'GET /:id': [
      ...guards,
      async (req, res) => {
        const { mail, source } = await stored(req)
        await showMail(res, { mail, source, path: `${base}/${mail.id}` })
      },
    ],
    'GET /:id/html': [...guards, async (req, res) => sendHtmlOf(res, (await stored(req)).mail)],
    'GET /previews/:name': [
      ...guards,
      async (req, res) => {
        const mail = await preview(req)
        await showMail(res, { mail, source: null, path: `${base}/previews/${mail.name}` })
      },
    ],
    'GET /previews/:name/html': [...guards, async (req, res) => sendHtmlOf(res, await preview(req))],
  })
}

interface ShownMail {
  mail: StoredMail | RenderedMail
  /** The source of a stored mail. */
  source: string | null
  path: string
}

async function showMail(res: Response, { mail, source, path }: ShownMail): Promise<void> {
  const [head = ''] = source?.split('\r\n\r\n', 1) ?? []
  res.setHeader(
    'Content-Security-Policy',
    `${String(res.getHeader('Content-Security-Policy'))};frame-src 'self'`,
  )
  const links = [...new Set(mail.text.match(/https?:\/\/[^\s<>"]+/g))]
  await render(res, 'dev/mail', { mail, source, head, links, htmlPath: `${path}/html` })
}

/**
 * Sends the HTML of a mail to the frame of its page. It runs no script and loads nothing, as in a mail client, and its
 * links open instead of the page.
 */
function sendHtmlOf(res: Response, { html }: RenderedMail | StoredMail): void {
  res.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; form-action 'none'; " +
      'sandbox allow-top-navigation-by-user-activation allow-popups',
  )
  res.setHeader('X-Frame-Options', 'SAMEORIGIN')
  res.type('html').send(html.replace(/<head>/i, '$&<base target="_top">'))
}

const isFolder = ({ url }: MailSettings) => url?.startsWith('file:') ?? false

/** Returns where mails go, without the password of the server. */
function destination({ url }: MailSettings): string {
  if (url === null) return 'nowhere'
  const { protocol, host, pathname } = new URL(url)
  return protocol === 'file:' ? pathname : `${protocol}//${host}`
}
