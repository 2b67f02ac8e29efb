import type { Request } from 'express'
import type { FieldError } from 'pergola'
import { configOf } from '#app/config-of.ts'
import { isBreached } from '#app/users/breached-password.ts'
import { consistsOf } from '#app/users/password.ts'

/** The texts that an attacker who knows the user tries first. */
interface OwnWords {
  readonly name: string
  readonly email: string
}

/**
 * Returns the error of a new password that consists of the user's name or address, or of the application's name, or that a
 * list of breached passwords contains. A list that doesn't answer is logged, and rejects no password.
 */
export async function passwordError(
  req: Request,
  password: string,
  { name, email }: OwnWords,
): Promise<FieldError | null> {
  const { app, accounts } = configOf(req)
  if (consistsOf(password, [app.name, name, email]))
    return errorOf('Use more than your name, your email address and the name of this site.')
  const list = accounts.breached_passwords
  const breached =
    list !== undefined &&
    (await isBreached(list, password).catch((error: unknown) => {
      req.log.warn({ err: error }, 'the list of breached passwords did not answer')
      return false
    }))
  return breached ? errorOf('This password was in a data breach of another site. Use another one.') : null
}

const errorOf = (message: string): FieldError => ({ field: 'password', messages: [message] })
