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
import { countSignIn, refusal } from '#app/sessions/throttle.ts'
import type { Credentials } from '#app/users/credentials.ts'
import { passwordFits } from '#app/users/password.ts'
import { users } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'

/** The session of whoever asks, behind `secured()`; throws `Unauthorized` for a guest. */
export async function ownSession(req: Request): Promise<Session> {
  const { session } = await policyContext(req)
  if (session === null) throw new Unauthorized()
  return session
}

export type OwnUser<Action extends string> = Authorized<Action, typeof User>

/** Whoever asks, as the row that the policy lets them update or delete. Throws `Denied`. */
export async function ownUser<Action extends 'update' | 'delete'>(
  req: Request,
  action: Action,
): Promise<OwnUser<Action>> {
  const { userId } = await ownSession(req)
  return authorizeRecord(req, action, User, await users.find(userId))
}

/** What a form is refused with. */
export interface FormRefusal {
  status: 422 | 429
  headers: Readonly<Record<string, string>>
  errors: FieldError[]
}

/**
 * The credentials that this password is right by, or a refusal for the field `current_password`. Counted as a sign-in
 * is: who has somebody's session shall not guess their password with it.
 */
export async function checkPassword(
  req: Request,
  { id }: User,
  password: string,
): Promise<Credentials | FormRefusal> {
  const { email, password_digest } = await database()
    .selectFrom('users')
    .select(['email', 'password_digest'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => new Unauthorized())
  const attempt = await countSignIn(req.ip ?? '', email).catch(refusal)
  if (attempt instanceof TooManyRequests)
    return { status: 429, headers: attempt.headers, errors: beside(TOO_MANY) }
  if (!(await passwordFits(password_digest, password))) return WRONG_PASSWORD
  await attempt.forgive()
  return { id, password_digest }
}

const beside = (sentence: string) => [{ field: 'current_password', messages: [sentence] }]
const TOO_MANY = 'Too many attempts. Wait a quarter of an hour and try again.'
export const WRONG_PASSWORD: FormRefusal = {
  status: 422,
  headers: {},
  errors: beside('That is not your password.'),
}
