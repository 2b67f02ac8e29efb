import { join } from 'node:path'
import { speedUpImports } from 'pergola/start'

// Like app/start.js, which starts the server in production.
speedUpImports(join(import.meta.dirname, '../../../..'))
await import('./start.ts')
