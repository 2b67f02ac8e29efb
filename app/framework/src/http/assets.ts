import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Request, RequestHandler, Response } from 'express'
import { NotFound } from './errors.ts'
import { markLayer } from './layers.ts'
import { loadExpress } from './server-packages.ts'

interface AssetOptions {
  /** The folder whose files are served. Subfolders are not. */
  folder: string
  /** The paths of further files, by the name that they are served under. */
  files: Readonly<Record<string, string>>
  /** Reads the files again for every page. */
  development: boolean
}

export interface Assets {
  /** Returns the URL of a file, with its fingerprint. Throws if the file doesn't exist. */
  url: (name: string) => string
  serve: RequestHandler
}

const YEAR = 31_536_000_000

/**
 * Serves the files of a folder below URLs that contain a fingerprint of their content, so that browsers cache them
 * for a year. Returns `url(name)` for views, and `serve` for `app.use(…)`, which responds to requests below /assets.
 * `url` throws if the file doesn't exist. Files are read once, or for every page in development.
 */
export function assets({ folder, files, development }: AssetOptions): Assets {
  const ours = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = new Map([
    ...ours.map(({ name }) => [name, join(folder, name)] as const),
    ...Object.entries(files),
  ])
  const fingerprints = new Map<string, string>()

  const fingerprintOf = (name: string, path: string) => {
    const fingerprint =
      fingerprints.get(name) ?? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)
    if (!development) fingerprints.set(name, fingerprint)
    return fingerprint
  }

  const asset = (req: Request<{ fingerprint: string; name: string }>, res: Response) => {
    const { fingerprint, name } = req.params
    const path = paths.get(name)
    if (path === undefined) throw new NotFound()
    // An old page may request an old fingerprint. The response is the current file, which the browser must revalidate.
    const current = fingerprint === fingerprintOf(name, path)
    res.removeHeader('Cache-Control')
    const caching = current
      ? { immutable: true, maxAge: YEAR }
      : { cacheControl: false, headers: { 'Cache-Control': 'no-cache' } }
    // With `root`, Express doesn't reject the path if the project is below a folder whose name begins with a dot.
    res.sendFile(basename(path), { root: dirname(path), ...caching })
  }

  return {
    serve: loadExpress()
      .Router()
      .get('/assets/:fingerprint/:name', markLayer(asset, { is: 'framework route' })),
    url(name) {
      const path = paths.get(name)
      if (path === undefined) throw new Error(`The asset '${name}' does not exist. Put it into ${folder}.`)
      return `/assets/${fingerprintOf(name, path)}/${name}`
    },
  }
}
