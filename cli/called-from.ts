/** Where the command was called, before it went to the root of the project: relative files are meant from there. */
export const calledFrom = process.cwd()
