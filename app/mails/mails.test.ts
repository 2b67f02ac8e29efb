import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkMails } from 'pergola/mail'
import { readConfig } from '#app/config.ts'
import { mailSettings } from './mail-settings.ts'
import { mails } from './mails.ts'

describe('mails', () => {
  it('can be rendered from their examples', async () => {
    await expect(
      checkMails({ ...mailSettings(readConfig({ NODE_ENV: 'test' })), mails }),
    ).resolves.toBeUndefined()
  })
})

describe('the templates of mails', () => {
  it('have the colors of app.css', () => {
    const folder = join(import.meta.dirname, '../../views/mails')
    const views = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    const css = readFileSync(join(import.meta.dirname, '../../public/app.css'), 'utf8')
    const colors = new Set(views.join('').match(/#[0-9a-f]{6}\b/gi))
    expect(colors.size).toBeGreaterThan(6)
    // The stylesheet writes white in three digits.
    expect([...colors].filter((color) => !css.includes(color.replace('#ffffff', '#fff')))).toEqual([])
  })
})
