import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Request } from 'express'
import type { DeclaredResource } from 'pergola'
import type { DatabaseConfig } from 'pergola/database'
import type { Logger } from 'pino'

/** The modules of the application that the contestant uses. The framework can't import them, since it is a package. */
interface Modules {
  'resources.ts': { resources: DeclaredResource[] }
  'sessions/session.ts': { startSession: (req: Request, userId: number) => Promise<void> }
  'config.ts': { readConfig: () => DatabaseConfig }
  'log.ts': { makeLog: (config: object) => Logger }
  'posts/post.repository.ts': { posts: Posts }
  'server.ts': object
}

interface Posts {
  asSystem(why: string): { findInBatches(size: number): AsyncIterable<{ id: number }[]> }
}

/** The folder of the clone that this file is in. */
export const clone = join(import.meta.dirname, '../../../..')

/** Imports a module of the application. */
export const application = <Name extends keyof Modules>(name: Name): Promise<Modules[Name]> =>
  import(pathToFileURL(join(clone, 'app', name)).href) as Promise<Modules[Name]>
