import type { Request, Response } from 'express'
import { z } from 'zod'
import { flash, type Handler, inTransaction, publicRoute, readForm, refusedForm, routes } from 'pergola'
import { recordEvent, rememberBrowser } from 'pergola/accounts'
import { SqlState, sqlState } from 'pergola/database'
import type { FormState } from 'pergola/views'
import { deleteSignUpTokens, findToken, takeToken } from '#app/account-tokens/account-tokens.ts'
import { type NextStep, renderInvalidLink, renderLinkPage, tokenIn } from '#app/account-tokens/links.ts'
import { startSession } from '#app/sessions/session.ts'
import { hashPassword, newPassword } from '#app/users/password.ts'
import { users } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'
import { linkForm } from './link-form.ts'
import { nextPath } from './next-path.ts'
import { passwordError } from './password-error.ts'

const account = z.strictObject({
  token: z.string(),
  name: User.input.shape.name,
  password: newPassword,
})

const form = linkForm('sign-up', 'account/sign_up')

const NEXT: NextStep = { href: '/signup', label: 'Sign up again' }

const newForm: Handler = async (req, res) => {
  const link = await findToken('sign-up', tokenIn(req))
  if (link === null) return renderInvalidLink(res, NEXT)
  await show(req, res, { email: link.address })
}

const create: Handler = async (req, res) => {
  const link = await findToken('sign-up', tokenIn(req))
  if (link === null) return renderInvalidLink(res, NEXT)
  const email = link.address
  const form = readForm(req, account)
  if (!form.valid) return show(req, res.status(422), { email, form })
  const { name, password } = form.input
  const error = await passwordError(req, password, { name, email })
  if (error) return show(req, res.status(422), { email, form: refusedForm({ name }, [error]) })
  const user = await createAccount(req, form.input)
  if (user === null) return renderInvalidLink(res, NEXT)
  await rememberBrowser(req, email)
  await flash(req, `Welcome, ${user.name}.`)
  res.redirect(303, nextPath(req))
}

const show = (
  req: Request,
  res: Response,
  { email, form }: { email: string; form?: FormState<'name' | 'password'> },
) =>
  renderLinkPage(res, 'account/new_account', {
    email,
    form: form ?? { values: {}, errors: {} },
    token: tokenIn(req),
    returnTo: nextPath(req),
  })

/** Creates the account of the link and signs it in. Returns null if the link was used or the address is taken. */
async function createAccount(
  req: Request,
  { token, name, password }: z.output<typeof account>,
): Promise<User | null> {
  const password_digest = await hashPassword(password)
  try {
    return await inTransaction(async () => {
      const link = await takeToken('sign-up', token)
      if (link === null) return null
      const email_verified_at = new Date().toISOString()
      const user = await users
        .asSystem('sign-up')
        .insert({ name, email: link.address, email_verified_at, password_digest })
      await deleteSignUpTokens(link.address)
      await recordEvent('account-created', { actor: user.id, target: user.id })
      await startSession(req, user.id)
      return user
    })
  } catch (error) {
    if (sqlState(error) === SqlState.uniqueViolation) return null
    throw error
  }
}

/** The sign-up routes, mounted if `accounts.sign_up` is true: the form for the address, and the page of the link. */
export const signUpRoutes = routes('/signup', {
  'GET /': [publicRoute(), form.show],
  'POST /': [publicRoute(), form.create],
  'GET /confirm': [publicRoute(), newForm],
  'POST /confirm': [publicRoute(), create],
})
