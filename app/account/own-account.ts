import type { Request } from 'express'
import {
  type Authorized,
  authorizeRecord,
  database,
  type FieldError,
  policyContext,
  type Session,
  TooManyRequests,
  Unauthorized,
} from 'pergola'
import { recordRejection } from 'pergola/accounts'
import { asTooManyRequests, countSignIn, TOO_MANY_SIGN_INS } from '#app/sessions/throttle.ts'
import type { Credentials } from '#app/users/credentials.ts'
import { verifyPassword } from '#app/users/password.ts'
import { userEmails } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'

/** Returns the session of the request, for routes with `secured()`. Throws `Unauthorized` for a guest. */
export async function ownSession(req: Request): Promise<Session> {
  const { session } = await policyContext(req)
  if (session === null) throw new Unauthorized()
  return session
}

/** Returns the email address of the signed-in user, which rows don't contain. */
export async function ownEmail(req: Request): Promise<string> {
  const { userId } = await ownSession(req)
  return (await userEmails(await policyContext(req), [userId])).get(userId) ?? ''
}

export type OwnUser<Action extends string> = Authorized<Action, typeof User>

/** Returns the signed-in user's own record, authorized for `action`. Throws `Denied`. */
export async function ownUser<Action extends 'update' | 'delete'>(
  req: Request,
  action: Action,
): Promise<OwnUser<Action>> {
  const { userId } = await ownSession(req)
  return authorizeRecord(req, action, User, userId)
}

/** The response to a rejected form: its status, its headers and the errors beside the fields. */
export interface FormRejection {
  status: 422 | 429
  headers: Readonly<Record<string, string>>
  errors: FieldError[]
}

/**
 * Checks the current password. Returns the credentials, or a rejection with an error for the field `current_password`.
 * Rate-limited like sign-in, so that a stolen session can't be used to guess the password.
 */
export async function checkPassword(
  req: Request,
  { id }: Pick<User, 'id'>,
  password: string,
): Promise<Credentials | FormRejection> {
  const { email, password_digest } = await database()
    .selectFrom('users')
    .select(['email', 'password_digest'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => new Unauthorized())
  const attempt = await countSignIn(req, email).catch(asTooManyRequests)
  if (attempt instanceof TooManyRequests)
    return { status: 429, headers: attempt.headers, errors: passwordErrors(TOO_MANY_SIGN_INS) }
  if (!(await verifyPassword(password_digest, password))) {
    await recordRejection('password-rejected', () => Promise.resolve({ target: id }))
    return WRONG_PASSWORD
  }
  await attempt.forgive()
  return { id, password_digest }
}

const passwordErrors = (message: string) => [{ field: 'current_password', messages: [message] }]
export const WRONG_PASSWORD: FormRejection = {
  status: 422,
  headers: {},
  errors: passwordErrors('Wrong password.'),
}
