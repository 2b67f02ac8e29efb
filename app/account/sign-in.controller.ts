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
  TooManyRequests,
} from 'pergola'
import { recordEvent, recordRejection } from 'pergola/accounts'
import { configOf } from '#app/config-of.ts'
import { accountId } from '#app/sessions/account-id.ts'
import { endSession, startSession } from '#app/sessions/session.ts'
import { asTooManyRequests, countSignIn, TOO_MANY_SIGN_INS } from '#app/sessions/throttle.ts'
import { areStillValid, type Credentials } from '#app/users/credentials.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { isWeakDigest, submittedPassword, verifyPassword } from '#app/users/password.ts'
import { rehash } from '#app/users/rehash.ts'
import { nextPath } from './next-path.ts'
import { notifyOfSignIn } from './sign-in-notice.ts'

const credentials = z.object({
  email: z.string().trim().toLowerCase().max(320),
  password: submittedPassword,
})

const WRONG = 'Wrong email or password.'

const newForm: Handler = async (req, res) => {
  const { userId } = await policyContext(req)
  if (userId !== null) return res.redirect(303, localPath(req.query['return_to']))
  await show(req, res)
}

const create: Handler = async (req, res) => {
  const submitted = readForm(req, credentials)
  if (!submitted.valid) return show(req, res.status(422), { error: WRONG })
  const { email, password } = submitted.input
  const attempt = await countSignIn(req, email).catch(asTooManyRequests)
  if (attempt instanceof TooManyRequests)
    return show(req, res.status(429).set(attempt.headers), { email, error: TOO_MANY_SIGN_INS })
  const user = await signInBy(req, submitted.input, async ({ id }) => {
    if (!attempt.isKnownBrowser) await notifyOfSignIn(req, id)
  })
  if (user === null) {
    await recordRejection('sign-in-failed', async () => ({ target: await accountId(email) }))
    return show(req, res.status(422), { email, error: WRONG })
  }
  await attempt.forgive()
  await rehash(user, password).catch((error: unknown) =>
    req.log.warn({ err: error }, 'a password was not rehashed'),
  )
  res.redirect(303, nextPath(req))
}

const destroy: Handler = async (req, res) => {
  const { userId } = await policyContext(req)
  await inTransaction(async () => {
    if (userId !== null) await recordEvent('sign-out', { target: userId })
    await endSession(req)
  })
  await flash(req, 'You are now signed out.')
  res.redirect(303, '/')
}

async function show(req: Request, res: Response, values: { email?: string; error?: string } = {}) {
  const { accounts } = configOf(req)
  await render(res, 'account/sign_in', { ...values, returnTo: nextPath(req), demo: accounts.demo && demo })
}

/** The accounts that the page shows in development. */
export type DemoAccounts = typeof demo

const demo = { accounts: DEMO_ACCOUNTS, password: DEMO_PASSWORD }

/** Starts a session, calls `announce` and returns the user. Returns null for a wrong password. */
async function signInBy(
  req: Request,
  { email, password }: z.output<typeof credentials>,
  announce: (user: Credentials) => Promise<void>,
): Promise<Credentials | null> {
  const user = await findByCredentials(email, password)
  if (user === null || (await signIn(req, user, announce))) return user
  // A concurrent sign-in may have replaced the digest.
  const again = isWeakDigest(user.password_digest) ? await findByCredentials(email, password) : null
  return again !== null && (await signIn(req, again, announce)) ? again : null
}

/** Returns the user, or null. Takes the same time for an unknown address, a disabled user and a wrong password. */
async function findByCredentials(email: string, password: string): Promise<Credentials | null> {
  const user = await database()
    .selectFrom('users')
    .select(['id', 'password_digest'])
    .where('email', '=', email)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  const matches = await verifyPassword(user?.password_digest, password)
  return matches && user !== undefined ? user : null
}

/** Starts a session. Returns false if the user was disabled or the password changed since it was checked. */
function signIn(
  req: Request,
  credentials: Credentials,
  announce: (user: Credentials) => Promise<void>,
): Promise<boolean> {
  return inTransaction(async () => {
    if (!(await areStillValid(credentials))) return false
    await startSession(req, credentials.id)
    await recordEvent('sign-in', { actor: credentials.id, target: credentials.id })
    await announce(credentials)
    return true
  })
}

/** Sign-in and sign-out. */
export const signInRoutes = routes('', {
  'GET /login': [publicRoute(), newForm],
  'POST /login': [publicRoute(), create],
  'POST /logout': [publicRoute(), destroy],
})
