import { describe, expect, it } from 'vitest'
import { OpenedSeals } from './opened-seals.ts'

const sealUntil = (time: number, id = 1) => `Fe26.2*${id}*salt*iv*content*${time}*salt*hmac~2`

describe('OpenedSeals', () => {
  it('finds a token until its seal expires', () => {
    const seals = new OpenedSeals()
    seals.add(sealUntil(1_000), 'token')
    expect(seals.find(sealUntil(1_000), 999)).toBe('token')
    expect(seals.find(sealUntil(1_000), 1_000)).toBeNull()
    expect(seals.find(sealUntil(2_000), 999)).toBeNull()
  })

  it.each([
    'Fe26.2*1*salt*iv*content**salt*hmac',
    'Fe26.2*1*salt*iv*content*never*salt*hmac',
    'something else',
    'Fe26.2*1*salt*iv*content*1000*salt*hmac~2junk',
    'Fe26.2*1*salt*iv*content*1000*salt*hmac~2%',
    `Fe26.2*1*salt*iv*${'x'.repeat(400)}*1000*salt*hmac~2`,
  ])('keeps no text of another form: %s', (seal) => {
    const seals = new OpenedSeals()
    seals.add(seal, 'token')
    expect(seals.find(seal, 0)).toBeNull()
  })

  it('forgets the oldest of more than 10,000', () => {
    const seals = new OpenedSeals()
    for (let id = 0; id <= 10_000; id++) seals.add(sealUntil(1_000, id), `token ${id}`)
    expect(seals.find(sealUntil(1_000, 0), 0)).toBeNull()
    expect(seals.find(sealUntil(1_000, 1), 0)).toBe('token 1')
    expect(seals.find(sealUntil(1_000, 10_000), 0)).toBe('token 10000')
  })
})
