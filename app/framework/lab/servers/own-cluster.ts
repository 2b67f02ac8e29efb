import { randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { homeOf, isRoot } from '../../src/embedded/home.ts'
import { run } from '../../src/embedded/run-program.ts'
import type { Cluster } from '../../src/embedded/server-process.ts'

export interface OwnCluster extends Cluster {
  /** The folder of `postgres`. */
  programs: string
}

/** Creates a cluster with the `initdb` of a folder. */
export function initialized(folder: string, programs: string): OwnCluster {
  const initdb = join(programs, 'initdb')
  if (!existsSync(initdb)) throw new Error(`${initdb} is missing. Install PostgreSQL, or correct the folder.`)
  const home = homeOf(folder)
  const data = join(home.directory, 'data')
  const password = join(home.directory, 'password')
  mkdirSync(home.directory)
  writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600 })
  if (home.user !== undefined)
    for (const path of [home.directory, password]) chownSync(path, home.user.uid, home.user.gid)
  const flags = ['-D', data, '-E', 'UTF8', '--locale=C.UTF-8', '-U', 'postgres', '-A', 'scram-sha-256']
  const { status, stderr, error } = run(initdb, [...flags, `--pwfile=${password}`], home.user)
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`)
  return { ...home, data, programs }
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pergola-own-postgres-')))
  // The user of the server must be able to enter the folder.
  if (isRoot) chmodSync(folder, 0o711)
  return folder
}

/** Copies the data of a server that has ended. */
export function copyOf(cluster: OwnCluster, folder: string): OwnCluster {
  const directory = join(folder, basename(cluster.directory))
  cpSync(cluster.directory, directory, { recursive: true, preserveTimestamps: true })
  const data = join(directory, `${basename(cluster.data)}-${randomUUID()}`)
  renameSync(join(directory, basename(cluster.data)), data)
  writeFileSync(join(data, 'standby.signal'), '')
  const { user } = cluster
  if (user !== undefined)
    for (const path of ['', ...(readdirSync(directory, { recursive: true }) as string[])])
      chownSync(join(directory, path), user.uid, user.gid)
  chmodSync(data, 0o700)
  return { ...cluster, directory, data }
}
