import { describe, expect, it } from 'vitest'
import { checkMails } from 'pergola/mail'
import { readConfig } from '#app/config.ts'
import { mailSettings } from './mail-settings.ts'
import { mails } from './mails.ts'

describe('the mails of the application', () => {
  it('have both templates, which render the examples', async () => {
    expect(mails.length).toBeGreaterThan(0)
    await expect(checkMails(mailSettings(readConfig({ NODE_ENV: 'test' })))).resolves.toBeUndefined()
  })
})
