import type { Request, Response } from 'express'
import { z } from 'zod'
import { flash, type Handler, inTransaction, readForm, refusedForm } from 'pergola'
import { rememberBrowser } from 'pergola/accounts'
import type { FormState } from 'pergola/views'
import { findToken, takeToken, type TokenUser } from '#app/account-tokens/account-tokens.ts'
import { type NextStep, renderInvalidLink, renderLinkPage, tokenIn } from '#app/account-tokens/links.ts'
import { startSession } from '#app/sessions/session.ts'
import { forgetSignIns } from '#app/sessions/throttle.ts'
import { hashPassword, newPassword } from '#app/users/password.ts'
import { User } from '#app/users/user.ts'
import { passwordError } from './password-error.ts'
import { isUnclaimed, type Owner } from './take-over.ts'

interface PasswordLink {
  readonly purpose: 'password' | 'invitation'
  /** The path that the form is sent to. */
  readonly action: string
  readonly title: string
  /** The text below the field for the password. */
  readonly hint: string
  /** Stores the password for the user of the link, in the transaction that uses it up. */
  readonly store: (req: Request, user: TokenUser, values: Owner) => Promise<void>
  /** The message after the password was set. */
  readonly message: (user: TokenUser) => string
  /** A sentence for the page of a link that is not valid. */
  readonly invalid?: string
}

const fields = z.strictObject({ token: z.string(), password: newPassword })
const fieldsWithName = fields.extend({ name: User.input.shape.name })

const NEXT: NextStep = { href: '/password-reset', label: 'Request a new link' }

/** Returns the handlers of a link that sets a password and signs in: its page, which changes nothing, and its form. */
export function passwordLink(link: PasswordLink): { show: Handler; update: Handler } {
  const next = link.invalid === undefined ? NEXT : { ...NEXT, hint: link.invalid }
  const show = (req: Request, res: Response, user: TokenUser, form: FormState = { values: {}, errors: {} }) =>
    renderLinkPage(res, 'account/new_password', {
      action: link.action,
      heading: link.title,
      hint: link.hint,
      email: user.email,
      asksName: isUnclaimed(user),
      lostRoles: isUnclaimed(user) ? user.roles : [],
      form,
      token: tokenIn(req),
    })

  return {
    async show(req, res) {
      const user = (await findToken(link.purpose, tokenIn(req)))?.user
      if (!user) return renderInvalidLink(res, next)
      await show(req, res, user)
    },
    async update(req, res) {
      const user = (await findToken(link.purpose, tokenIn(req)))?.user
      if (!user) return renderInvalidLink(res, next)
      const form = readForm(req, isUnclaimed(user) ? fieldsWithName : fields)
      if (!form.valid) return show(req, res.status(422), user, form)
      const { password } = form.input
      const error = await passwordError(req, password, { ...user, ...form.input })
      if (error) return show(req, res.status(422), user, refusedForm({ name: form.values['name'] }, [error]))
      if (!(await setPassword(req, link, form.input))) return renderInvalidLink(res, next)
      await forgetSignIns(user.email)
      await rememberBrowser(req, user.email)
      await flash(req, link.message(user))
      res.redirect(303, '/')
    },
  }
}

/** Sets the password and signs in. Returns false if the link is not valid any more. */
async function setPassword(
  req: Request,
  { purpose, store }: PasswordLink,
  { token, password, name }: z.output<typeof fields> & { name?: string },
): Promise<boolean> {
  const password_digest = await hashPassword(password)
  return inTransaction(async () => {
    const user = (await takeToken(purpose, token))?.user
    if (!user) return false
    await store(req, user, { password_digest, name })
    await startSession(req, user.id)
    return true
  })
}
