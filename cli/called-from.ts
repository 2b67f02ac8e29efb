import { resolve } from 'node:path'

// Read before main.ts goes to the root of the project, which is where everything else is found from.
const folder = process.cwd()

/** A path that was given on the command line, as whoever gave it sees it: from the folder they are in. */
export const givenPath = (path: string): string => resolve(folder, path)
