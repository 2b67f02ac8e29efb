/** What the entry file of an application needs before it imports the rest. Imported as `pergola/start`. */

export { speedUpImports } from './speed-up-imports.js'
