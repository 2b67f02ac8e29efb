import { Exit, EXIT } from '../exit.ts'

/** The names of an application, which `pergola.application` in its package.json records. */
export interface ApplicationNames {
  /** The name in package.json, such as `help-desk`. */
  readonly name: string
  /** The name in titles, in the header and in mails, such as `Help desk`. */
  readonly title: string
}

/** Derives the names from that of the folder. Throws if it has no Latin letter and no digit. */
export function applicationNames(folder: string, title = ''): ApplicationNames {
  // ü is two characters then: u and its dots.
  const words = folder
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .match(/[a-z\d]+/gi)
  if (words === null)
    throw new Exit(
      EXIT.usage,
      `The name of the folder ${folder} needs Latin letters or digits, for package.json: ../helpdesk, for example. No files were written.`,
    )
  if (title.length > 60 || /\p{Cc}/u.test(title))
    throw new Exit(EXIT.usage, 'The name needs one line of up to 60 characters. No files were written.')
  const spoken = folder.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()
  return {
    name: words.join('-').toLowerCase(),
    title: title.trim() || (spoken.charAt(0).toUpperCase() + spoken.slice(1)).slice(0, 60),
  }
}
