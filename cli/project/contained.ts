import { lstatSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { Exit, EXIT } from '../exit.ts'

/** Returns the file at this path of the project. Throws if the path leads outside or through a symbolic link. */
export function contained(root: string, path: string): string {
  const file = join(root, path)
  const inside = relative(root, file)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw new Exit(EXIT.conflict, `${path} is outside the project. No files were written.`)
  const steps = inside.split(sep)
  for (const [index] of steps.entries()) {
    const step = steps.slice(0, index + 1).join(sep)
    if (isLink(join(root, step)))
      throw new Exit(
        EXIT.conflict,
        `${step} is a symbolic link, which may lead out of the project. Replace it with a folder or file. No files were written.`,
      )
  }
  return file
}

const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
