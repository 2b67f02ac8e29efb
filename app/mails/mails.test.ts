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
