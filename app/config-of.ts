import type { Application, Request } from 'express'
import type { Config } from './config.ts'

const configs = new WeakMap<Application, Config>()

/** Sets the configuration of an application, for handlers whose route tables are constants. */
export function useConfig(app: Application, config: Config): void {
  configs.set(app, config)
}

/** Returns the configuration of the application that handles a request. */
export function configOf({ app }: Request): Config {
  const config = configs.get(app)
  if (config === undefined)
    throw new Error('This application has no configuration. Call useConfig(app, …) first.')
  return config
}
