import type { Request } from 'express'
import type { FieldError } from 'pergola'
import { configOf } from '#app/config-of.ts'
import { consistsOf } from '#app/users/password.ts'

/** The texts that an attacker who knows the user tries first. */
interface OwnWords {
  readonly name: string
  readonly email: string
}

/** Returns the error of a new password that consists of the user's name or address, or of the application's name. */
export function ownWordsError(req: Request, password: string, { name, email }: OwnWords): FieldError | null {
  if (!consistsOf(password, [configOf(req).app.name, name, email])) return null
  return {
    field: 'password',
    messages: ['Use more than your name, your email address and the name of this site.'],
  }
}
