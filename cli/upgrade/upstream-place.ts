import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { callerPath } from '../caller-folder.ts'
import { Exit, EXIT } from '../exit.ts'
import { tryGit } from './git.ts'
import { originOf } from './origin.ts'
import { withoutCredentials } from './place.ts'

interface PlaceOptions {
  readonly from?: string
  readonly app?: string
}

/** Where the new version is: a URL or an absolute path. A guess if neither the options nor package.json name it. */
export function placeOf(root: string, { from, app }: PlaceOptions): { place: string; isGuess: boolean } {
  if (from !== undefined)
    return { place: existsSync(callerPath(from)) ? callerPath(from) : from, isGuess: false }
  if (app !== undefined) return { place: join(import.meta.dirname, '../..'), isGuess: false }
  const recorded = originOf(root).from
  const place = recorded ?? remoteOf(root)
  if (place === null)
    throw new Exit(EXIT.usage, 'Where is the new version? Give a git URL or a folder with --from.')
  const isFolder = existsSync(resolve(root, place))
  return { place: isFolder ? resolve(root, place) : place, isGuess: recorded === undefined }
}

/** A clone of a version that was never released records no place: it came from its remote. */
function remoteOf(root: string): string | null {
  const url = tryGit(['remote', 'get-url', 'origin'], { cwd: root })
  if (url !== null)
    console.error(
      `package.json records no "pergola.from": using the git remote origin, ${withoutCredentials(url)}.`,
    )
  return url
}
