import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  flash,
  type Handler,
  publicRoute,
  readForm,
  recentlyConfirmed,
  refusedForm,
  render,
  routes,
  secured,
} from 'pergola'
import { rememberBrowser } from 'pergola/accounts'
import type { FormState } from 'pergola/views'
import { type NextStep, renderInvalidLink, tokenIn } from '#app/account-tokens/links.ts'
import { asTooManyRequests, countLink, TOO_MANY_LINKS } from '#app/sessions/throttle.ts'
import { emailAddress } from '#app/users/email-address.ts'
import { changeAddress, mailAddressLink } from './change-address.ts'
import { type FormRejection, ownEmail, ownSession, ownUser } from './own-account.ts'
import { showOwnLink } from './own-link.ts'

const change = z.strictObject({ email: emailAddress })

const requestChange: Handler = async (req, res) => {
  const user = await ownUser(req, 'update')
  const form = readForm(req, change)
  if (!form.valid) return show(req, res.status(422), form)
  const address = form.input.email
  const rejection = await rejectChange(req, address)
  if (rejection !== null) {
    const { status, headers, errors } = rejection
    return show(req, res.status(status).set(headers), refusedForm({ email: address }, errors))
  }
  await mailAddressLink(req, { user, session: await ownSession(req), address })
  res.redirect(303, '/check-mail')
}

const confirmed = recentlyConfirmed('15 minutes')

const update: Handler = async (req, res) => {
  const address = await changeAddress(tokenIn(req), await ownSession(req))
  if (address === null) return renderInvalidLink(res, NEXT)
  await rememberBrowser(req, address)
  await flash(req, 'Email address changed. All other browsers are now signed out.')
  res.redirect(303, '/account')
}

const NEXT: NextStep = { href: '/account/address', label: 'Change your email address again' }

const confirm: Handler = (req, res) =>
  showOwnLink(req, res, { purpose: 'address-change', action: '/account/address/confirm', next: NEXT })

/** Counts the request. Returns the errors to show in the form, or null. */
async function rejectChange(req: Request, address: string): Promise<FormRejection | null> {
  if (address === (await ownEmail(req)))
    return { status: 422, headers: {}, errors: [{ field: 'email', messages: [OWN] }] }
  const tooMany = await countLink(req, address).catch(asTooManyRequests)
  return tooMany ? { status: 429, headers: tooMany.headers, errors: [TOO_MANY_LINKS] } : null
}

const OWN = 'This is already the address of your account.'

const show = async (req: Request, res: Response, form: FormState<'email'> = { values: {}, errors: {} }) =>
  render(res, 'account/address', { form, email: await ownEmail(req) })

/** The form for a new address, and the page of the link that was sent to it. */
export const addressRoutes = routes('/account/address', {
  'GET /': [secured(), confirmed, (req, res) => show(req, res)],
  'PUT /': [secured(), confirmed, requestChange],
  // Guests sign in on the page.
  'GET /confirm': [publicRoute(), confirm],
  'POST /confirm': [secured(), update],
})
