import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { callerPath } from '../caller-folder.ts'
import { Exit, EXIT } from '../exit.ts'
import { tryGit } from '../project/git.ts'
import { originOf } from './origin.ts'
import { withoutCredentials } from '../project/place.ts'

interface PlaceOptions {
  readonly from?: string
  readonly app?: string
}

/**
 * Returns the URL or absolute path of the new version. It is a guess if neither the options nor package.json contain
 * it.
 */
export function placeOf(root: string, { from, app }: PlaceOptions): { place: string; isGuess: boolean } {
  if (from !== undefined)
    return { place: existsSync(callerPath(from)) ? callerPath(from) : from, isGuess: false }
  if (app !== undefined) return { place: join(import.meta.dirname, '../..'), isGuess: false }
  const recorded = originOf(root).from
  const place = recorded ?? remoteOf(root)
  if (place === null)
    throw new Exit(
      EXIT.usage,
      'The location of the new version is unknown. Specify a git URL or a folder with --from.',
    )
  const isFolder = existsSync(resolve(root, place))
  return { place: isFolder ? resolve(root, place) : place, isGuess: recorded === undefined }
}

/**
 * Returns the git remote. An application from an unreleased version has no recorded URL, but may still be a clone of
 * Pergola.
 */
function remoteOf(root: string): string | null {
  const url = tryGit(['remote', 'get-url', 'origin'], { cwd: root })
  if (url !== null)
    console.error(
      `package.json records no "pergola.from": using the git remote origin, ${withoutCredentials(url)}.`,
    )
  return url
}
