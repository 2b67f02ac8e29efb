import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  flash,
  type Handler,
  inTransaction,
  localPath,
  publicRoute,
  readForm,
  recordEvent,
  refusedForm,
  rememberBrowser,
  render,
  routes,
  SqlState,
  sqlState,
} from 'pergola'
import type { Config } from '#app/config.ts'
import { isDemoAddress } from '#app/users/demo-accounts.ts'
import { hashPassword, isOwnAddress, newPassword, OWN_ADDRESS } from '#app/users/password.ts'
import { startSession } from '#app/sessions/session.ts'
import { countSignUp, asTooManyRequests } from '#app/sessions/throttle.ts'
import { users } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'

const account = z
  .strictObject({
    name: User.input.shape.name,
    email: z
      .string()
      .trim()
      .toLowerCase()
      .max(320, 'This email address is too long.')
      .pipe(z.email('Enter a valid email address.')),
    password: newPassword,
  })
  .refine(({ email, password }) => !isOwnAddress(password, email), { path: ['password'], error: OWN_ADDRESS })

const TOO_MANY = [
  { field: 'email', messages: ['Too many sign-ups from your network. Try again in an hour.'] },
]
const TAKEN = [{ field: 'email', messages: ['An account with this email address already exists.'] }]

/** The sign-up routes, mounted if `accounts.sign_up` is true. */
export function signUpRoutes({ accounts }: Config) {
  const create: Handler = async (req, res) => {
    const form = readForm(req, account)
    if (!form.valid) return show(req, res.status(422), form)
    const tooMany = await countSignUp(req).catch(asTooManyRequests)
    if (tooMany) return show(req, res.status(429).set(tooMany.headers), refusedForm(form.input, TOO_MANY))
    // Without demo accounts, their addresses are reserved: production doesn't start if one has the demo password.
    const reserved = !accounts.demo && isDemoAddress(form.input.email)
    const user = reserved ? null : await insertUser(form.input)
    if (user === null) return show(req, res.status(422), refusedForm(form.input, TAKEN))
    await startSession(req, user.id)
    await rememberBrowser(req, form.input.email)
    await flash(req, `Welcome, ${user.name}.`)
    res.redirect(303, localPath(req.body.return_to))
  }

  return routes('/signup', {
    'GET /': [publicRoute(), newForm],
    'POST /': [publicRoute(), create],
  })
}

const newForm: Handler = (req, res) => show(req, res, { values: {}, errors: {} })

const show = (req: Request, res: Response, form: object) =>
  render(res, 'account/sign_up', { form, returnTo: localPath(req.body?.return_to ?? req.query['return_to']) })

/** Returns the new user, or null if the address is taken. */
async function insertUser({ name, email, password }: z.output<typeof account>): Promise<User | null> {
  const password_digest = await hashPassword(password)
  try {
    return await inTransaction(async () => {
      const user = await users.asSystem('sign-up').insert({ name, email, password_digest })
      await recordEvent('account-created', { actor: user.id, target: user.id })
      return user
    })
  } catch (error) {
    if (sqlState(error) === SqlState.uniqueViolation) return null
    throw error
  }
}
