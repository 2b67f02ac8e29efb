import type { Tree } from '../upgrade/tree.ts'

/** Creates a tree of these files. */
export const treeWith = (files: Readonly<Record<string, string | Buffer>>): Tree =>
  new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      { bytes: Buffer.from(content as string), executable: false },
    ]),
  )
