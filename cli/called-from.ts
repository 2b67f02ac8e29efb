import { resolve } from 'node:path'

/** Where the command was called. Read before main.ts goes to the root of the project, which is where all else is found from. */
export const calledFrom = process.cwd()

/** A path that was given on the command line, as whoever gave it sees it: from the folder they are in. */
export const givenPath = (path: string): string => resolve(calledFrom, path)
