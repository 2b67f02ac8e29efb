import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { Request, RequestHandler, Response } from 'express'
import { compressedFiles } from './compressed-files.ts'
import { codingFor, isCompressible } from './content-coding.ts'
import type { Handler } from './route-types.ts'
import { frameworkRoutes } from './routes.ts'

interface AssetOptions {
  /**
   * The folder whose files are served. Of its subfolders only `root` is: its files are served under their own paths, such as
   * `/robots.txt`.
   */
  folder: string
  /** The paths of further files, by the name that they are served under. */
  files: Readonly<Record<string, string>>
  /** Reads the files again for every page. */
  development: boolean
  /** Whether clients get compressed files. Not in development. Defaults to false. */
  compress?: boolean
}

/** The files that an application serves to browsers. */
export interface Assets {
  /** Returns the URL of a file, with its fingerprint. Throws if the file doesn't exist. */
  url: (name: string) => string
  serve: RequestHandler
}

const A_YEAR = 'public, max-age=31536000, immutable'
const AN_HOUR = 3_600_000

/**
 * Serves the files of a folder below URLs that contain a fingerprint of their content, so that browsers cache them
 * for a year. Returns `url(name)` for views, and `serve` for `app.use(…)`, which responds to requests below /assets.
 * `url` throws if the file doesn't exist. Files are read once, or for every page in development. A file is compressed
 * with the best level, once for each coding.
 */
export function assets({ folder, files, development, compress = false }: AssetOptions): Assets {
  const paths = new Map([
    ...filesIn(folder).map((name) => [name, join(folder, name)] as const),
    ...Object.entries(files),
  ])
  // In development, files may be added after the start.
  const pathOf = (name: string) =>
    paths.get(name) ?? (development && filesIn(folder).includes(name) ? join(folder, name) : undefined)
  const fingerprints = new Map<string, string>()

  const fingerprintOf = (name: string, path: string) => {
    const fingerprint =
      fingerprints.get(name) ?? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)
    if (!development) fingerprints.set(name, fingerprint)
    return fingerprint
  }

  const compressed = compressedFiles()
  const mayCompress = (res: Response) => compress && !development && isCompressible(res.get('Content-Type'))

  const asset: Handler = async (req, res) => {
    const { name, fingerprint: requested } = req.params as { name: string; fingerprint: string }
    const path = pathOf(name)
    // Not the page of `NotFound`: during an overload, assets don't wait for a place, so each must be cheap.
    if (path === undefined) {
      res.status(404).type('text').send('Not found')
      return
    }
    // An old page may request an old fingerprint. The response is the current file, which the browser must revalidate.
    const fingerprint = fingerprintOf(name, path)
    const caching = requested === fingerprint ? A_YEAR : 'no-cache'
    res.set({ 'Cache-Control': caching, ETag: `"${fingerprint}"` }).type(extname(name))
    if (mayCompress(res) && (await sendCompressed(req, res.vary('Accept-Encoding'), path))) return
    // With `root`, Express doesn't reject the path if the project is below a folder whose name begins with a dot.
    res.sendFile(basename(path), { root: dirname(path), cacheControl: false })
  }

  /** Returns false if the client needs the uncompressed file. Ranges are parts of that file. */
  const sendCompressed = async (req: Pick<Request, 'headers'>, res: Response, path: string) => {
    const coding = req.headers.range === undefined ? codingFor(req) : null
    const body = coding && (await compressed(path, coding))
    if (!body) return false
    const tag = res.get('ETag')?.replace(/"$/, `-${coding}"`)
    res.set({ 'Content-Encoding': coding, ETag: tag }).send(body)
    return true
  }

  const rootFolder = join(folder, 'root')
  const rootFiles = filesIn(rootFolder).map((name) => {
    const rootFile: Handler = (_req, res) => res.sendFile(name, { root: rootFolder, maxAge: AN_HOUR })
    return [`GET /${name}`, rootFile] as const
  })

  return {
    serve: frameworkRoutes({ 'GET /assets/:fingerprint/:name': asset, ...Object.fromEntries(rootFiles) }),
    url(name) {
      const path = pathOf(name)
      if (path === undefined) throw new Error(`The asset '${name}' does not exist. Put it into ${folder}.`)
      return `/assets/${fingerprintOf(name, path)}/${name}`
    },
  }
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}
