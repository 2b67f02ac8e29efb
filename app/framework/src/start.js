/** The functions for the entry file of an application, before it imports the rest. Imported as `pergola/start`. */

export { speedUpImports } from './speed-up-imports.js'
