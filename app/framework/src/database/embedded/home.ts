import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type User } from './run-program.ts'

/** Where a cluster lives, and as whom it runs. */
export interface Home {
  /** For all that must be kept: `data-…/`, `password`, `server.log`. It need not be there yet. */
  directory: string
  /** Undefined means as ourselves; Postgres refuses to run as root. */
  user: User | undefined
}

export const isRoot = process.getuid?.() === 0

/** Finds the home of `dataDir`'s cluster: below it, unless root runs it as a user who can't go there. */
export function homeOf(dataDir: string): Home {
  const inPlace = join(dataDir, 'postgres')
  if (!isRoot) return { directory: inPlace, user: undefined }
  const user = unprivilegedUser()
  const note = join(dataDir, 'postgres-is-elsewhere.txt')
  const isInPlace = existsSync(inPlace) || (!existsSync(note) && isReachable(dataDir, user))
  const directory = isInPlace ? inPlace : join(moveOut(dataDir, note), 'postgres')
  return { directory, user: existsSync(directory) ? ownerOf(directory) : user }
}

/** Whether `user` may enter the directory or run the file. */
export function isReachable(path: string, user: User): boolean {
  return run('sh', ['-c', 'test -x "$0"', path], user).status === 0
}

// Only root writes to /var/lib, so that no other user can have created this directory. It belongs to root; the
// cluster inside belongs to the other user and is closed to all others.
function moveOut(dataDir: string, note: string): string {
  const place = `/var/lib/pergola-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  if (existsSync(note) && !existsSync(place)) {
    throw new Error(`The database of ${note} is not in ${place}: bring it back, or remove the note.`)
  }
  mkdirSync(place, { recursive: true })
  const found = lstatSync(place)
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${place} is not root's directory: remove it.`)
  chmodSync(place, 0o711)
  const why = 'Postgres refuses to run as root, and no other user can enter this directory.'
  writeFileSync(note, `${why}\nThe development database is kept in ${place}\n`)
  return place
}

function unprivilegedUser(): User {
  const users = readFileSync('/etc/passwd', 'utf8')
  const found = /^postgres:.*?:(\d+):(\d+)/m.exec(users) ?? /^nobody:.*?:(\d+):(\d+)/m.exec(users)
  if (found) return { uid: Number(found[1]), gid: Number(found[2]) }
  throw new Error('Postgres refuses to run as root: add a user `postgres` or `nobody`, or set DATABASE_URL.')
}

function ownerOf(path: string): User {
  const { uid, gid } = statSync(path)
  return { uid, gid }
}
