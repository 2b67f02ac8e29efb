import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../public', path), 'utf8')

it('the icon and the manifest have the accent of app.css', () => {
  const [, accent] = /--accent: light-dark\((#\w+)/.exec(read('app.css')) ?? []
  expect(read('favicon.svg')).toContain(`fill="${accent}"`)
  expect(JSON.parse(read('root/manifest.webmanifest'))).toMatchObject({ theme_color: accent })
})
