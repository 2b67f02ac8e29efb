import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A file system of limited size. */
export interface SmallDisk {
  /** The reason if this machine can't mount such a file system; null if it is mounted. */
  readonly problem: string | null
  readonly folder: string
  /** Uses all of its free space. */
  fill: () => void
  /** Frees this space. */
  empty: () => void
}

/**
 * Mounts a file system in memory that belongs to `owner`, and unmounts it when the test file ends. Call it at the top of
 * the file. Only root on Linux can mount it: for others, `problem` has the reason, and the test skips.
 */
export function smallDisk(megabytes: number, owner: { uid: number; gid: number } | undefined): SmallDisk {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || owner === undefined)
    return absent('Only root on Linux can mount a small disk.')
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pergola-small-disk-')))
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], {
    encoding: 'utf8',
  })
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (mount.status !== 0) {
    remove()
    return absent(`A small disk can't be mounted: ${mount.error?.message ?? mount.stderr.trim()}`)
  }
  const filler = join(folder, 'filler')
  afterAll(() => {
    spawnSync('umount', ['--lazy', folder])
    remove()
  })
  chownSync(folder, owner.uid, owner.gid)
  return {
    problem: null,
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(filler, Buffer.alloc(bavail * bsize))
    },
    empty: () => rmSync(filler, { force: true }),
  }
}

const absent = (problem: string): SmallDisk => ({ problem, folder: '', fill: () => {}, empty: () => {} })
