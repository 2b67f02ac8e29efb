import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { tryGit } from './git.ts'

/** A text in which no URL contains a password or a token. The name in an SSH URL is part of the address. */
export const withoutCredentials = (text: string): string =>
  text
    .replaceAll(/\b((?:https?|ftps?):\/\/)[^/\s]*@/gi, '$1')
    .replaceAll(/\b((?:git\+)?ssh:\/\/[^/\s:@]*):[^/\s]*@/gi, '$1@')

/** Where others find this repository, to write it down in a file that is committed; null of a folder on this machine. */
export function publicPlace(place: string): string | null {
  if (isUrl(place)) return withoutCredentials(place)
  // Without a .git of its own, the folder may be part of another project's repository.
  if (!existsSync(join(place, '.git'))) return null
  const remote = tryGit(['remote', 'get-url', 'origin'], { cwd: place })
  return remote !== null && isUrl(remote) ? withoutCredentials(remote) : null
}

/** `https://host/path` or `user@host:path`, but neither `file:///path` nor `C:\path`. */
const isUrl = (place: string): boolean =>
  !existsSync(place) && /^(?!file:)(?:[a-z][a-z\d+.-]*:\/\/|[^/\\:]{2,}:[^\\])/i.test(place)
