import type { Application, Request } from 'express'
import type { DeclaredResource } from 'pergola'
import type { Config } from './config.ts'

interface Parts {
  readonly config: Config
  readonly resources: readonly DeclaredResource[]
}

const partsOfApplications = new WeakMap<Application, Parts>()

/** Sets what `configOf` and `resourcesOf` return for the requests of an application. */
export function useParts(app: Application, parts: Parts): void {
  partsOfApplications.set(app, parts)
}

/** Returns the configuration of the application that handles a request. */
export const configOf = (req: Request): Config => partsOf(req).config

/** Returns the resources of the application that handles a request. */
export const resourcesOf = (req: Request): readonly DeclaredResource[] => partsOf(req).resources

function partsOf({ app }: Request): Parts {
  const parts = partsOfApplications.get(app)
  if (parts === undefined) throw new Error('This application has no configuration. Create it with createApp.')
  return parts
}
