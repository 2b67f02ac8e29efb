import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { productionServer } from './production-server.ts'
import { testNoteDatabase } from './test-note.ts'

const database = await testNoteDatabase()

/** Written by a server when it exits. */
interface Loaded {
  /** The URLs of the loaded files. */
  readonly files: readonly string[]
  /** Node's own modules: `NativeModule http`. */
  readonly builtin: readonly string[]
}

/** Starts a server, requests these paths, and returns the modules that the process loaded. */
async function loadedFor(...paths: string[]): Promise<Loaded> {
  const report = join(mkdtempSync(join(tmpdir(), 'pergola-loaded-')), 'loaded.json')
  const { server, url } = await productionServer(database.url, {
    NODE_OPTIONS: `--import ${new URL('report-loaded.js', import.meta.url).href}`,
    REPORT: report,
  })
  for (const path of paths) {
    const request = get(url + path, { headers: { Host: 'example.org' } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(200)
  }
  const exit = once(server, 'exit')
  server.kill('SIGINT')
  await exit
  return JSON.parse(readFileSync(report, 'utf8')) as Loaded
}

/** The packages of package.json that a server uses for every page. Others are loaded when they are needed. */
const NEEDED = [
  'dataloader',
  'eta',
  'express',
  'helmet',
  'kysely',
  'negotiator',
  'p-limit',
  'path-to-regexp',
  'pg',
].concat('pino', 'pino-http', 'smol-toml', 'zod')

/** Returns the dependencies of the application and of the framework that are among these files. */
const packagesOf = (files: readonly string[]) =>
  ['package.json', 'app/framework/package.json']
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as { dependencies: object })
    .flatMap(({ dependencies }) => Object.keys(dependencies))
    .filter((name) => files.some((file) => file.includes(`/node_modules/${name}/`)))

describe('app/start.js', () => {
  it('loads only the packages that every server needs', async () => {
    const { files } = await loadedFor('/api/test-notes')
    expect(packagesOf(files)).toContain('express')
    expect(packagesOf(files).filter((name) => !NEEDED.includes(name))).toEqual([])
  })

  it('loads no code for commands and development', async () => {
    const { files } = await loadedFor('/api/test-notes')
    const others = /\/(?:manifest\/index\.ts|migrations|embedded|testing|cli)\b/
    expect(files.filter((file) => others.test(file))).toEqual([])
  })

  it('does not load fetch, which no request needs', async () => {
    const { builtin } = await loadedFor('/api/test-notes', '/login')
    expect(builtin).toContain('NativeModule http')
    expect(builtin.filter((name) => name.includes('undici'))).toEqual([])
  })
})
