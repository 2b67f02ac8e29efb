import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Coding } from './content-coding.ts'

const brotli = promisify<Buffer, Buffer>(brotliCompress)
const gzipped = promisify<Buffer, { level: number }, Buffer>(gzip)

/**
 * Returns a function that returns a compressed file, or null if the file doesn't become smaller. Compresses a file once for
 * each coding, at its first request, with the best level: about 0.1 seconds for 80 kB, outside of the event loop.
 */
export function compressedFiles(): (path: string, coding: Coding) => Promise<Buffer | null> {
  // At most two results per served file.
  const files = new Map<string, Promise<Buffer | null>>()
  return (path, coding) => {
    const key = `${coding} ${path}`
    const file = files.get(key) ?? compress(path, coding)
    files.set(key, file)
    // The next request tries again.
    file.catch(() => files.delete(key))
    return file
  }
}

async function compress(path: string, coding: Coding): Promise<Buffer | null> {
  const file = await readFile(path)
  const compressed = await (coding === 'br' ? brotli(file) : gzipped(file, { level: 9 }))
  return compressed.length < file.length ? compressed : null
}
