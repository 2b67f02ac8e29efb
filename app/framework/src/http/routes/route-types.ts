import type { Application, Request, Response } from 'express'

/** A request with an unknown body, because only a schema makes it values to store: `formInput`, `jsonInput`, `readForm`. */
type HandlerRequest = Request<Request['params'], unknown, unknown>

/** The last step of a route: it sends the response. Thrown errors and rejections reach the error page. */
export type Handler = (req: HandlerRequest, res: Response) => void | Promise<void>

/**
 * A step of a route before its handler. `run` throws, sends a response, or lets the request continue. An application
 * may write its own:
 *
 * ```ts
 * const throttled: Guard = { kind: 'throttle', run: (req) => void takeToken(req.ip ?? '') }
 * ```
 */
export interface Guard {
  /** A name for the security manifest. */
  readonly kind: string
  /** Marks the guards of the framework, which the manifest can describe. */
  readonly isBuiltIn?: true
  /** The text of a built-in guard in the manifest, if `kind` doesn't say all. */
  readonly inManifest?: string
  /** The action of the guard, for a sentence about its route: `reads the JSON body`. */
  readonly inWords?: string
  run(req: Request, res: Response): void | Promise<void>
  /** Runs before the first guard of the route, if `isBuiltIn` is set. It must not throw: `run` reports the errors. */
  prepare?(req: Request, res: Response): Promise<void>
  /**
   * Begins the work of the guard while the access guard runs, if `isBuiltIn` is set. It must not throw: `run` reports the
   * errors.
   */
  begin?(req: Request): void
  /** Called once by `mount`: throws a sentence if the guard can't work in this route. */
  check?(before: readonly Guard[], app: Application, path: string, after: readonly Guard[]): void
}

/** The first step of every route, made by `secured()` or `publicRoute()`: the session and the roles that it needs. */
export interface Access extends Guard {
  readonly kind: 'access'
  readonly access: 'secured' | 'public'
  readonly roles: readonly string[]
  /** Whether the user needs a verified email address. */
  readonly verified: boolean
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = readonly [Access, ...Guard[], Handler]

/** A method and a path below the base of a table: `GET /:id`. */
export type RouteKey = `${Method} /${string}`

/** The routes of a table by their method and path: `{ 'GET /:id': [publicRoute(), show] }`. */
export type RouteTable<Key extends RouteKey = RouteKey> = { readonly [Each in Key]: Route }

/** A route table, as `routes()` returns it. Its type knows the base and the keys, which `pathTo` checks. */
export interface Routes<Base extends string = string, Key extends RouteKey = RouteKey> {
  /** The path that all of its routes begin with. */
  readonly base: Base
  readonly table: RouteTable<Key>
  /** The declaration, as `file:line`. */
  readonly declaredAt: string
  /** The JSON API of a repository: its base has to be below the application's `apiPrefix`. */
  readonly isApi?: true
}

/** A route of a table with its full path. */
export interface ListedRoute {
  readonly method: string
  readonly path: string
  readonly guards: readonly Guard[]
  readonly handler: Handler
  /** The key in its table: `PUT /:id`. */
  readonly key: string
  readonly table: Routes
}
