import { hash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type User } from './run-program.ts'

/** The directory of a cluster, and the user of its server. */
export interface Home {
  /** The directory with `data-…/`, `password` and `server.log`. It may not exist yet. */
  directory: string
  /** The user of the server if this process runs as root, because Postgres refuses to run as root. Else undefined. */
  user: User | undefined
}

export const isRoot = process.getuid?.() === 0

/**
 * Returns the home of a cluster: below `dataDir`, or in `/var/lib` if this process runs as root and the user of the
 * server can't enter `dataDir`.
 */
export function homeOf(dataDir: string): Home {
  const inPlace = join(dataDir, 'postgres')
  if (!isRoot) return { directory: inPlace, user: undefined }
  const user = unprivilegedUser()
  const note = join(dataDir, 'postgres-is-elsewhere.txt')
  const isInPlace = existsSync(inPlace) || (!existsSync(note) && isReachable(dataDir, user))
  const directory = isInPlace ? inPlace : join(moveOut(dataDir, note), 'postgres')
  // An existing cluster belongs to the user of its server.
  return { directory, user: statSync(directory, { throwIfNoEntry: false }) ?? user }
}

/** Returns whether `user` may enter the directory or run the file. */
export function isReachable(path: string, user: User): boolean {
  return run('sh', ['-c', 'test -x "$0"', path], user).status === 0
}

// Returns a directory in /var/lib. Only root can write there, so that no other user can have created it. The directory
// belongs to root. The cluster inside belongs to the user of the server, and no other user can read it.
function moveOut(dataDir: string, note: string): string {
  const place = `/var/lib/pergola-${hash('sha256', dataDir).slice(0, 16)}`
  if (existsSync(note) && !existsSync(place)) {
    throw new Error(
      `The database recorded in ${note} is missing from ${place}. Restore it, or delete ${note}.`,
    )
  }
  mkdirSync(place, { recursive: true })
  const stats = lstatSync(place)
  if (!stats.isDirectory() || stats.uid !== 0)
    throw new Error(`${place} must be a directory owned by root. Remove it.`)
  chmodSync(place, 0o711)
  const why = 'Postgres refuses to run as root, and no other user can enter this directory.'
  writeFileSync(note, `${why}\nThe development database is stored in ${place}\n`)
  return place
}

function unprivilegedUser(): User {
  const users = readFileSync('/etc/passwd', 'utf8')
  const match = /^postgres:.*?:(\d+):(\d+)/m.exec(users) ?? /^nobody:.*?:(\d+):(\d+)/m.exec(users)
  if (match) return { uid: Number(match[1]), gid: Number(match[2]) }
  throw new Error('Postgres refuses to run as root. Add a user `postgres` or `nobody`, or set DATABASE_URL.')
}
