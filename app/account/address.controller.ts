import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  flash,
  type Handler,
  policyContext,
  publicRoute,
  readForm,
  refusedForm,
  rememberBrowser,
  render,
  routes,
  secured,
} from 'pergola'
import { type NextStep, renderInvalidLink, tokenIn } from '#app/account-tokens/links.ts'
import type { Config } from '#app/config.ts'
import { asTooManyRequests, countLink, TOO_MANY_LINKS } from '#app/sessions/throttle.ts'
import { emailAddress } from '#app/users/email-address.ts'
import { userEmails } from '#app/users/user.repository.ts'
import { changeAddress, mailAddressLink } from './address-change.ts'
import { checkPassword, type FormRejection, ownSession, type OwnUser, ownUser } from './own-account.ts'
import { showOwnLink } from './own-link.ts'

const change = z.strictObject({ email: emailAddress, current_password: z.string().max(256) })

/** The form for a new address, and the page of the link that was sent to it. */
export function addressRoutes(config: Config) {
  const requestChange: Handler = async (req, res) => {
    const user = await ownUser(req, 'update')
    const form = readForm(req, change)
    if (!form.valid) return show(req, res.status(422), form)
    const rejection = await rejectChange(config, req, user, form.input)
    if (rejection === null) return res.redirect(303, '/check-mail')
    const { status, headers, errors } = rejection
    await show(req, res.status(status).set(headers), refusedForm({ email: form.input.email }, errors))
  }

  return routes('/account/address', {
    'GET /': [secured(), (req, res) => show(req, res)],
    'PUT /': [secured(), requestChange],
    // Open to guests, whom the page asks to sign in, because a redirect would repeat the token in another address.
    'GET /confirm': [publicRoute(), confirm],
    'POST /confirm': [secured(), update],
  })
}

const update: Handler = async (req, res) => {
  const { userId } = await ownSession(req)
  const address = await changeAddress(tokenIn(req), userId)
  if (address === null) return renderInvalidLink(res, NEXT)
  await rememberBrowser(req, address)
  await flash(req, 'Email address changed.')
  res.redirect(303, '/account')
}

const NEXT: NextStep = { href: '/account/address', label: 'Change your email address again' }

const confirm: Handler = (req, res) =>
  showOwnLink(req, res, { purpose: 'address-change', action: '/account/address/confirm', next: NEXT })

/** Mails the link to the new address. Returns null on success, or the errors to show in the form. */
async function rejectChange(
  config: Config,
  req: Request,
  user: OwnUser<'update'>,
  { email, current_password }: z.output<typeof change>,
): Promise<FormRejection | null> {
  if (email === (await ownEmail(req, user.id)))
    return { status: 422, headers: {}, errors: [{ field: 'email', messages: [OWN] }] }
  const checked = await checkPassword(req, user, current_password)
  if ('errors' in checked) return checked
  const tooMany = await countLink(req, email).catch(asTooManyRequests)
  if (tooMany) return { status: 429, headers: tooMany.headers, errors: [TOO_MANY_LINKS] }
  return mailAddressLink(config, req, { user, credentials: checked, address: email })
}

const OWN = 'This is already the address of your account.'

const ownEmail = async (req: Request, id: number): Promise<string> =>
  (await userEmails(await policyContext(req), [id])).get(id) ?? ''

const show = async (req: Request, res: Response, form: object = { values: {}, errors: {} }) =>
  render(res, 'account/address', { form, email: await ownEmail(req, (await ownSession(req)).userId) })
