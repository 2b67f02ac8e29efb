import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { tryGit } from './git.ts'

/** The `pergola` entry of an application's package.json: the version, commit and repository of its files. */
export interface Origin {
  readonly version?: string
  readonly commit?: string
  readonly from?: string
}

/**
 * Removes passwords and tokens from the URLs in a text. Keeps the user name of an SSH URL, which is part of the
 * address.
 */
export const withoutCredentials = (text: string): string =>
  text
    .replaceAll(/\b((?:https?|ftps?):\/\/)[^/\s]*@/gi, '$1')
    .replaceAll(/\b((?:git\+)?ssh:\/\/[^/\s:@]*):[^/\s]*@/gi, '$1@')

/** Returns the URL of the repository, to record it in a committed file. Returns null for a folder without a remote. */
export function publicPlace(place: string): string | null {
  if (isUrl(place)) return withoutCredentials(place)
  // A folder without its own .git may be part of another project's repository.
  if (!existsSync(join(place, '.git'))) return null
  const remote = tryGit(['remote', 'get-url', 'origin'], { cwd: place })
  return remote !== null && isUrl(remote) ? withoutCredentials(remote) : null
}

/** Returns true for `https://host/path` and `user@host:path`, and false for `file:///path` and `C:\path`. */
const isUrl = (place: string): boolean =>
  !existsSync(place) && /^(?!file:)(?:[a-z][a-z\d+.-]*:\/\/|[^/\\:]{2,}:[^\\])/i.test(place)
