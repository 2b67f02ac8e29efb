import type { Application } from 'express'
import type { Guard, ListedRoute } from './route-types.ts'

type DefaultGuards = (route: ListedRoute) => readonly Guard[]

const defaults = new WeakMap<Application, DefaultGuards>()

/** Sets the guards that `mount` adds to routes, behind their access guards. They throw, or let the request continue. */
export function setDefaultGuards(app: Application, guardsFor: DefaultGuards): void {
  defaults.set(app, guardsFor)
}

/** Returns the guards that the application adds to a route. */
export const defaultGuards = (app: Application, route: ListedRoute): readonly Guard[] =>
  defaults.get(app)?.(route) ?? []
