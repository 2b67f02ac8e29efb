import { describe, expect, it } from 'vitest'
import { openSeal, seal } from './sealed-mail.ts'

const [old, recent] = [
  'an old secret of more than 32 characters',
  'a recent secret of more than 32 characters',
]
const queued = {
  mail: 'welcome',
  to: { name: '', address: 'a@example.org' },
  data: { link: 'https://a/?t=1' },
}

describe('seal', () => {
  it('hides everything but is opened again', async () => {
    const sealed = await seal(queued, [recent])
    expect(Buffer.from(sealed.split('*')[5] ?? '', 'base64url').toString('latin1')).not.toContain(
      'example.org',
    )
    expect(sealed).not.toContain('example.org')
    expect(await openSeal({ mail: 'welcome', sealed }, [recent])).toEqual(queued)
  })

  it('opens with an older secret, and with no other', async () => {
    const sealed = await seal(queued, [old])
    expect(await openSeal({ mail: 'welcome', sealed }, [recent, old])).toEqual(queued)
    expect(await openSeal({ mail: 'welcome', sealed }, [recent])).toBeNull()
  })

  it('does not open as another mail, or after a change', async () => {
    const sealed = await seal(queued, [recent])
    expect(await openSeal({ mail: 'goodbye', sealed }, [recent])).toBeNull()
    const middle = sealed.length / 2
    const changed =
      sealed.slice(0, middle) + (sealed.at(middle) === 'A' ? 'B' : 'A') + sealed.slice(middle + 1)
    expect(await openSeal({ mail: 'welcome', sealed: changed }, [recent])).toBeNull()
    expect(await openSeal({ mail: 'welcome', sealed: '' }, [recent])).toBeNull()
  })
})
