import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Request } from 'express'
import type { Kysely } from 'kysely'
import type { DeclaredResource, Tables } from 'pergola'

/** The modules of the application that the contestant uses. The framework can't import them, since it is a package. */
interface Modules {
  'resources.ts': { resources: DeclaredResource[] }
  'sessions/session.ts': { startSession: (req: Request, userId: number) => Promise<void> }
  'config.ts': { readConfig: () => { database: { url: string } } }
  'log.ts': { makeLog: (config: object) => object }
  'db/open.ts': { openDatabase: (url: string, config: object, log: object) => Kysely<Tables> }
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
