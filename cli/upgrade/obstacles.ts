import { lstatSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import type { Outcome } from './merge.ts'
import type { Tree } from './tree.ts'

/** Throws if a folder, link or file occupies the path of a new file. */
export function refuseObstacles(root: string, outcomes: readonly Outcome[], now: Tree): void {
  const written = outcomes.filter(({ path, after }) => after !== null && !now.has(path))
  const obstacles = new Set(written.flatMap(({ path }) => obstacleOf(root, path) ?? []))
  if (obstacles.size === 0) return
  const list = [...obstacles].join(', ')
  throw new Exit(
    EXIT.conflict,
    `These paths are in the way of new files: ${list}. Rename or remove them first. No files were written.`,
  )
}

function obstacleOf(root: string, path: string): string | undefined {
  const steps = path.split('/')
  const places = steps.map((_, at) => steps.slice(0, at + 1).join(sep))
  return places.find((place) => {
    const stats = lstatSync(join(root, place), { throwIfNoEntry: false })
    return stats !== undefined && (place === places.at(-1) || !stats.isDirectory())
  })
}
