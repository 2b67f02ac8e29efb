import { z } from 'zod'
import { textIn, type Sides } from '../upgrade/tree.ts'
import { applicationFiles } from './application-files.ts'

const schema = z.object({
  pergola: z.object({ application: z.object({ name: z.string(), title: z.string() }) }),
})

/** Returns the names that `npx cli new` gave to an application; null for another one. */
export function createdAs(packageJson: string) {
  const read = schema.safeParse(JSON.parse(packageJson || '{}'))
  return read.success ? read.data.pergola.application : null
}

/** Returns both versions as `npx cli new` writes them, with the names of the application, if it was created so. */
export function asCreated(store: string, { base, ours, theirs }: Sides): Sides {
  const names = createdAs(textIn(store, ours, 'package.json'))
  if (names === null) return { base, ours, theirs }
  return {
    base: applicationFiles(store, base, names),
    ours,
    theirs: applicationFiles(store, theirs, names),
  }
}
