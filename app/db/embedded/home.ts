import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type User } from './run.ts'

/** Where a cluster lives, and as whom it runs. */
export interface Home {
  /** Stands in the server's command line, by which its process is recognised. */
  name: string
  /** The directory of all that must be kept: `data/`, `password`, `server.log`. */
  cluster: string
  /** Undefined means as ourselves; Postgres refuses to run as root. */
  user: User | undefined
}

export const isRoot = process.getuid?.() === 0

/** Finds the home of the cluster of `dataDir`: below it, unless we are root and the user to run as can't go there. */
export function homeOf(dataDir: string): Home {
  const name = `pergola-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const inPlace = join(dataDir, 'postgres')
  if (!isRoot) return { name, cluster: inPlace, user: undefined }
  const user = unprivilegedUser()
  const note = join(dataDir, 'postgres-is-elsewhere.txt')
  const isInPlace = existsSync(inPlace) || (!existsSync(note) && isReachable(dataDir, user))
  const cluster = isInPlace ? inPlace : join(moveOut(name, note), 'postgres')
  return { name, cluster, user: existsSync(cluster) ? ownerOf(cluster) : user }
}

/** Whether `user` may enter the directory or run the file. */
export function isReachable(path: string, user: User): boolean {
  return run('sh', ['-c', 'test -x "$0"', path], user).status === 0
}

// Only root writes to /var/lib, so nobody else can have planted this directory. It stays root's, who works in it;
// the cluster within is the other user's and closed to everybody else.
function moveOut(name: string, note: string): string {
  const place = join('/var/lib', name)
  if (existsSync(note) && !existsSync(place)) {
    throw new Error(
      `The database that ${note} speaks of is not in ${place}: bring it back, or remove the note.`,
    )
  }
  mkdirSync(place, { recursive: true })
  const found = lstatSync(place)
  if (!found.isDirectory() || found.uid !== 0)
    throw new Error(`${place} is not a directory of root: remove it.`)
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
