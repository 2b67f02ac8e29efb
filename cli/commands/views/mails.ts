import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
export const mailsIn = (root: string): DeclaredMail[] =>
  globSync('app/mails/*.ts', { cwd: root }).flatMap((path) => {
    const file = path.replaceAll('\\', '/')
    const text = file.endsWith('.test.ts') ? '' : readFileSync(join(root, file), 'utf8')
    return [...text.matchAll(/^export const (\w+) = mail\(\s*'(.*?)'/gm)].map(
      ({ 0: code, 1: variable, 2: name = '', index }) => {
        const before = text.slice(0, index + code.length - name.length - 1).split('\n')
        return {
          view: `mails/${name.replaceAll('-', '_')}`,
          type: `import('pergola/views').MailData<typeof import('#${file}').${variable}>`,
          position: `${file}(${before.length},${(before.at(-1)?.length ?? 0) + 1})`,
        }
      },
    )
  })

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
