import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { testDatabase } from 'pergola/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { productionManifest } from '#app/manifest.ts'

const database = await testDatabase()

describe('productionManifest', () => {
  it('is byte-identical in every process, independent of the environment', async () => {
    const environments = [
      { NODE_ENV: 'development', TZ: 'Asia/Tokyo', LANG: 'sv_SE.UTF-8', SECURITY__FORBIDDEN_RESPONSE: '403' },
      { NODE_ENV: 'production', TZ: 'UTC', ACCOUNTS__SIGN_UP: 'false', BASE_URL: 'http://elsewhere.test' },
    ]
    const printed = await Promise.all(environments.map((env) => printedBy(env)))
    expect(printed[0]).toContain('"schema_version"')
    expect(printed[1]).toBe(printed[0])
  })

  it('lists development-only routes and uses of asSystem', () => {
    const { as_system, development_only } = productionManifest().excluded
    expect(development_only).toContainEqual({
      route: 'GET /_dev/routes',
      reason: 'mounted in development only',
    })
    expect(as_system.uses).toContainEqual({
      file: 'app/account/sign-up.controller.ts',
      repository: 'users',
      why: 'sign-up',
    })
    expect(
      as_system.uses.filter(({ file }) => /\.(?:factory|test)\.ts$|^app\/(?:test|framework)\//.test(file)),
    ).toEqual([])
  })
})

describe('app/server.ts', () => {
  // Preloaded before the server: mounts a route as soon as the application is created.
  const backdoor = `
    import express from '${import.meta.resolve('express')}'
    const { use } = express.application
    express.application.use = function (...given) {
      if (!this.locals.open) this.get('/backdoor', function letIn(_req, res) { res.end() })
      this.locals.open = true
      return use.apply(this, given)
    }`

  it.each(['production', 'test'])(
    'does not start in %s with a route outside the route tables',
    async (profile) => {
      const env = {
        NODE_ENV: profile,
        PORT: '0',
        BASE_URL: 'https://example.org',
        SESSION__SECRET: 'a secret of more than thirty-two characters',
        MAIL__URL: 'smtp://127.0.0.1:1',
        MAIL__FROM: 'no-reply@example.org',
        DATABASE_URL: database.url,
      }
      const preload = `data:text/javascript,${encodeURIComponent(backdoor)}`
      const { code, output } = await run(['--import', preload, 'app/server.ts'], env)
      expect(output).toContain('GET /backdoor (letIn) is not in a route table')
      expect(code).toBe(1)
      expect(output).not.toContain('Listening')
    },
  )
})

async function printedBy(env: Record<string, string>): Promise<string> {
  return (await run(['cli/main.ts', 'routes', 'audit', '--json'], env)).output
}

async function run(
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '', ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  onTestFinished(() => void child.kill('SIGKILL'))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
