import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  database,
  flash,
  type Handler,
  inTransaction,
  localPath,
  policyContext,
  publicRoute,
  readForm,
  render,
  routes,
  type Routes,
  TooManyRequests,
} from 'pergola'
import type { Config } from '#app/config.ts'
import { endSession, startSession } from '#app/sessions/session.ts'
import { countSignIn, refusal } from '#app/sessions/throttle.ts'
import { type Credentials, stillHold } from '#app/users/credentials.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { passwordFits } from '#app/users/password.ts'

const credentials = z.object({
  email: z.string().trim().toLowerCase().max(320),
  password: z.string().max(256),
})

const TOO_MANY = 'Too many attempts. Wait a quarter of an hour and try again.'
const WRONG = 'That email and password do not belong together.'

/** Sign-in and sign-out. */
export function signInRoutes({ accounts }: Config): Routes {
  const form = async (req: Request, res: Response, values: { email?: string; error?: string } = {}) => {
    const returnTo = localPath(req.body?.return_to ?? req.query['return_to'])
    await render(res, 'account/sign_in', {
      ...values,
      returnTo,
      signUp: accounts.sign_up,
      demo: accounts.demo && demo,
    })
  }

  const newForm: Handler = async (req, res) => {
    const { userId } = await policyContext(req)
    if (userId !== null) return res.redirect(303, localPath(req.query['return_to']))
    await form(req, res)
  }

  const create: Handler = async (req, res) => {
    const sent = readForm(req, credentials)
    if (!sent.valid) return form(req, res.status(422), { error: WRONG })
    const { email, password } = sent.input
    const attempt = await countSignIn(req.ip ?? '', email).catch(refusal)
    if (attempt instanceof TooManyRequests)
      return form(req, res.status(429).set(attempt.headers), { email, error: TOO_MANY })
    const user = await userWith(email, password)
    if (user === null || !(await signIn(req, user)))
      return form(req, res.status(422), { email, error: WRONG })
    await attempt.forgive()
    res.redirect(303, localPath(req.body.return_to))
  }

  return routes('', {
    'GET /login': [publicRoute(), newForm],
    'POST /login': [publicRoute(), create],
    'POST /logout': [publicRoute(), destroy],
  })
}

const destroy: Handler = async (req, res) => {
  await endSession(req)
  await flash(req, 'You are signed out.')
  res.redirect(303, '/')
}

const demo = { accounts: DEMO_ACCOUNTS, password: DEMO_PASSWORD }

/** The user, or null; an unknown address, a disabled user and a wrong password take the same steps. */
async function userWith(email: string, password: string): Promise<Credentials | null> {
  const user = await database()
    .selectFrom('users')
    .select(['id', 'password_digest'])
    .where('email', '=', email)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  const fits = await passwordFits(user?.password_digest, password)
  return fits && user !== undefined ? user : null
}

/** False when the user was disabled or the password changed meanwhile: that ends every session, and so this one too. */
function signIn(req: Request, credentials: Credentials): Promise<boolean> {
  return inTransaction(async () => {
    if (!(await stillHold(credentials))) return false
    await startSession(req, credentials.id)
    return true
  })
}
