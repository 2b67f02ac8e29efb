import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  database,
  decodeForm,
  flash,
  type Handler,
  localPath,
  policyContext,
  publicRoute,
  render,
  routes,
  type Routes,
  TooManyRequests,
} from '#framework'
import { type Config } from '#app/config.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { passwordFits } from '#app/users/password.ts'
import { endSession, startSession } from './session.ts'
import { countSignIn } from './throttle.ts'

const credentials = z.object({
  email: z.string().trim().toLowerCase().max(320),
  password: z.string().max(256),
})

const WRONG = 'That email and password do not belong together.'

/** Sign-in and sign-out. */
export function sessionRoutes({ accounts }: Config): Routes {
  const form = async (req: Request, res: Response, values: { email?: string; error?: string } = {}) => {
    const returnTo = localPath(req.body?.return_to ?? req.query['return_to'])
    await render(res, 'sessions/new', {
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
    const given = credentials.safeParse(decodeForm(credentials, req.body))
    if (!given.success) return form(req, res.status(422), { error: WRONG })
    const { email, password } = given.data
    try {
      const userId = await signIn(req, email, password)
      if (userId === null) return await form(req, res.status(422), { email, error: WRONG })
      await startSession(req, userId)
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error
      const wait = 'Too many attempts. Wait a quarter of an hour and try again.'
      return form(req, res.status(429).set(error.headers), { email, error: wait })
    }
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

/** The user's id, or null; an unknown address, a disabled user and a wrong password take the same steps. */
async function signIn(req: Request, email: string, password: string): Promise<number | null> {
  const attempt = await countSignIn(req.ip ?? '', email)
  const user = await database()
    .selectFrom('users')
    .select(['id', 'password_digest'])
    .where('email', '=', email)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!(await passwordFits(user?.password_digest, password))) return null
  await attempt.forgive()
  return user?.id ?? null
}
