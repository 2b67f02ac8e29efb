import type { Request, Response } from 'express'
import { z } from 'zod'
import { type Handler, readForm, refusedForm, render } from 'pergola'
import type { FormState } from 'pergola/views'
import { asTooManyRequests, countLink, TOO_MANY_LINKS } from '#app/sessions/throttle.ts'
import { emailAddress } from '#app/users/email-address.ts'
import { type LinkForm, mailLink } from './link-mails.ts'
import { nextPath } from './next-path.ts'

const schema = z.strictObject({ email: emailAddress })

type LinkView = 'account/sign_up' | 'account/sign_in_link' | 'account/forgotten_password'

/** Returns the handlers of a form that asks for an address, and mails a link to it. */
export function linkForm(form: LinkForm, view: LinkView): { show: Handler; create: Handler } {
  const show = (req: Request, res: Response, state: FormState<'email'> = { values: {}, errors: {} }) =>
    render(res, view, {
      form: state,
      returnTo: nextPath(req),
    })

  const create: Handler = async (req, res) => {
    const submitted = readForm(req, schema)
    if (!submitted.valid) return show(req, res.status(422), submitted)
    const { email } = submitted.input
    const tooMany = await countLink(req, email).catch(asTooManyRequests)
    if (tooMany)
      return show(req, res.status(429).set(tooMany.headers), refusedForm({ email }, [TOO_MANY_LINKS]))
    await mailLink(req, form, email)
    res.redirect(303, '/check-mail')
  }

  return { show: (req, res) => show(req, res), create }
}
