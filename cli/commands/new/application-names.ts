import { Exit, EXIT } from '../../exit.ts'

/** The names of an application. For the folder `help-desk`: */
export interface ApplicationNames {
  /** `help-desk`: the name in package.json. */
  readonly packageName: string
  /** `Help desk`: the name in titles, in the header and in mails. */
  readonly title: string
  /** `help_desk`: the database and its user, and the beginning of the names of cookies. */
  readonly identifier: string
}

/** Derives the names from the name of the folder. Throws if it has no letter or digit. */
export function applicationNames(folder: string, title?: string): ApplicationNames {
  const words = folder.toLowerCase().match(/[a-z0-9]+/g)
  if (words === null)
    throw new Exit(EXIT.usage, `The folder ${folder} needs a name with letters, like helpdesk.`)
  const sentence = words.join(' ')
  return {
    packageName: words.join('-'),
    title: title?.trim() || sentence.charAt(0).toUpperCase() + sentence.slice(1),
    identifier: words.join('_').replace(/^(?=\d)/, 'app_'),
  }
}
