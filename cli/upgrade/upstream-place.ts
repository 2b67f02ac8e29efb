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

/** Returns the URL or absolute path of the new version, from the options or package.json. */
export function placeOf(root: string, { from, app }: PlaceOptions): string {
  if (from !== undefined) return existsSync(callerPath(from)) ? callerPath(from) : from
  if (app !== undefined) return join(import.meta.dirname, '../..')
  const recorded = originOf(root).from
  if (recorded === undefined) throw new Exit(EXIT.usage, UNKNOWN_PLACE + remoteOf(root))
  return existsSync(resolve(root, recorded)) ? resolve(root, recorded) : recorded
}

const UNKNOWN_PLACE =
  'package.json does not record the repository of Pergola. Specify its git URL or a folder with --from; the upgrade records it.'

/** Returns a sentence about the git remote. It may be that of the application, with its history alone. */
function remoteOf(root: string): string {
  const url = tryGit(['remote', 'get-url', 'origin'], { cwd: root })
  return url === null ? '' : ` If your git remote is Pergola’s: --from ${withoutCredentials(url)}`
}
