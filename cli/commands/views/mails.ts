import type { ApplicationCode } from './application-code.ts'
import { placeIn } from './position.ts'

/** A mail that the application declares. */
export interface DeclaredMail {
  /** The path of its HTML template below `views`, without its ending: `mails/password_reset`. */
  readonly view: string
  /** Its type, for the checked code. */
  readonly type: string
  /** Where its name stands: `app/mails/password-reset.ts(6,36)`. */
  readonly position: string
}

/** Returns the mails that files in `app/mails` declare, as `npx cli generate mail` writes them. */
export const mailsIn = (code: ApplicationCode): DeclaredMail[] =>
  [...code]
    .filter(([file]) => /^app\/mails\/[^/]+$/.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(/^export const (\w+) = mail\(\s*'(.*?)'/gm)].map(
        ({ 0: start, 1: variable, 2: name = '', index }) => ({
          view: `mails/${name.replaceAll('-', '_')}`,
          type: `import('pergola/views').MailData<typeof import('#${file}').${variable}>`,
          position: placeIn(file, text, index + start.length - name.length - 1),
        }),
      ),
    )

/** Returns the mail of a template. */
export const mailOf = (view: string, mails: readonly DeclaredMail[]): DeclaredMail | undefined =>
  mails.find((mail) => view === mail.view || view === `${mail.view}.text`)

/** Returns an error for each template that doesn't exist. */
export const missingTemplates = (mails: readonly DeclaredMail[], views: readonly string[]): string[] =>
  mails.flatMap(({ view, position }) =>
    [view, `${view}.text`]
      .filter((template) => !views.includes(template))
      .map(
        (template) => `${position}: error: The template views/${template}.eta of this mail does not exist.`,
      ),
  )
