import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'
import { codingFor, isCompressible, type Coding } from './content-coding.ts'
import type { Handler } from '../../http/routes/route-types.ts'
import { frameworkRoutes } from '../../http/routes/routes.ts'

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
const AN_HOUR = 'public, max-age=3600'
/** The most bytes of a file that stays in memory. Larger ones are read from the disk for each request. */
const MOST_IN_MEMORY = 1_000_000

/** A file with its fingerprint. `content` is null if each request reads it. */
interface ServedFile {
  readonly path: string
  readonly fingerprint: string
  readonly content: Buffer | null
}

/**
 * Serves the files of a folder below URLs that contain a fingerprint of their content, so that browsers cache them
 * for a year. Returns `url(name)` for views, and `serve` for `app.use(…)`, which responds to requests below /assets.
 * `url` throws if the file doesn't exist. Files are read at once, or for every page in development; those of up to 1 MB
 * stay in memory. A file is compressed with the best level, once for each coding.
 */
export function assets({ folder, files, development, compress = false }: AssetOptions): Assets {
  const rootPaths = filesIn(join(folder, 'root'))
  const pathsNow = () => new Map([...filesIn(folder), ...Object.entries(files)])
  const paths = pathsNow()
  // In development, files may be added after the start.
  const pathOf = (name: string) => (development ? pathsNow() : paths).get(name)
  // A deploy may replace the files of a running process.
  const keptFiles = development ? [] : [...paths.values(), ...rootPaths.map(([, path]) => path)]
  const atStart = new Map(keptFiles.map((path) => [path, readServed(path)]))
  const fileAt = (path: string) => atStart.get(path) ?? { ...readServed(path), content: null }

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
    const file = fileAt(path)
    const caching = requested === file.fingerprint ? A_YEAR : 'no-cache'
    res.set({ 'Cache-Control': caching, ETag: `"${file.fingerprint}"` }).type(extname(name))
    if (mayCompress(res) && (await sendCompressed(req, res.vary('Accept-Encoding'), file))) return
    sendServed(req, res, file)
  }

  /** Returns false if the client needs the uncompressed file. Ranges are parts of that file. */
  const sendCompressed = async (req: Request, res: Response, file: ServedFile) => {
    const coding = req.headers.range === undefined ? codingFor(req) : null
    const body = coding && (await compressed(file, coding))
    if (!body) return false
    const tag = res.get('ETag')?.replace(/"$/, `-${coding}"`)
    res.set({ 'Content-Encoding': coding, ETag: tag }).send(body)
    return true
  }

  const rootFiles = rootPaths.map(([name, path]) => {
    const rootFile: Handler = (req, res) => {
      const file = fileAt(path)
      res.set({ 'Cache-Control': AN_HOUR, ETag: `"${file.fingerprint}"` })
      sendServed(req, res.type(extname(name)), file)
    }
    return [`GET /${name}`, rootFile] as const
  })

  return {
    serve: frameworkRoutes({ 'GET /assets/:fingerprint/:name': asset, ...Object.fromEntries(rootFiles) }),
    url(name) {
      const path = pathOf(name)
      if (path === undefined) throw new Error(`The asset '${name}' does not exist. Put it into ${folder}.`)
      return `/assets/${fileAt(path).fingerprint}/${name}`
    },
  }
}

function readServed(path: string): ServedFile {
  const content = readFileSync(path)
  const fingerprint = hash('sha256', content).slice(0, 16)
  return { path, fingerprint, content: content.length > MOST_IN_MEMORY ? null : content }
}

function sendServed(req: Request, res: Response, { path, content }: ServedFile): void {
  if (content !== null && req.headers.range === undefined) {
    res.set('Accept-Ranges', 'bytes').send(content)
    return
  }
  // With `root`, Express doesn't reject the path if the project is below a folder whose name begins with a dot.
  res.sendFile(basename(path), { root: dirname(path), cacheControl: false })
}

/** Returns the files of a folder, as pairs of a name and a path. */
function filesIn(folder: string): [name: string, path: string][] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map(({ name }) => [name, join(folder, name)])
}

const brotli = promisify<Buffer, Buffer>(brotliCompress)
const gzipped = promisify<Buffer, { level: number }, Buffer>(gzip)

/**
 * Returns a function that returns a compressed file, or null if the file doesn't become smaller. Compresses a file once for
 * each coding, at its first request, with the best level: about 0.1 seconds for 80 kB, outside of the event loop.
 */
function compressedFiles(): (file: ServedFile, coding: Coding) => Promise<Buffer | null> {
  // At most two results per served file.
  const results = new Map<string, Promise<Buffer | null>>()
  return (file, coding) => {
    const key = `${coding} ${file.path}`
    const result = results.get(key) ?? compress(file, coding)
    results.set(key, result)
    // The next request tries again.
    result.catch(() => results.delete(key))
    return result
  }
}

async function compress({ path, content }: ServedFile, coding: Coding): Promise<Buffer | null> {
  const file = content ?? (await readFile(path))
  const compressed = await (coding === 'br' ? brotli(file) : gzipped(file, { level: 9 }))
  return compressed.length < file.length ? compressed : null
}
