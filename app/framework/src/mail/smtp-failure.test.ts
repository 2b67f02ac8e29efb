import { describe, expect, it } from 'vitest'
import { Unrecoverable } from '../jobs/unrecoverable.ts'
import { smtpFailure } from './smtp-failure.ts'

const delivery = { url: 'smtp://user:hunter2@mail.example.org:587', recipient: 'alice.smith@example.org' }
const failure = (message: string, fields: object = {}) =>
  smtpFailure(Object.assign(new Error(message), fields), delivery)

describe('smtpFailure', () => {
  it.each([
    ['RCPT TO', 550],
    ['DATA', 554],
  ])('is unrecoverable after a rejected %s', (command, responseCode) => {
    expect(failure('no', { command, responseCode })).toBeInstanceOf(Unrecoverable)
  })

  it.each([
    ['RCPT TO', 450],
    ['DATA', 451],
    ['MAIL FROM', 550],
    ['AUTH PLAIN', 535],
    ['CONN', undefined],
  ])('is retried after %s %s', (command, responseCode) => {
    expect(failure('no', { command, responseCode })).not.toBeInstanceOf(Unrecoverable)
  })

  it.each([
    ['550 5.1.1 <alice.smith@example.org>: rejected', '550 5.1.1 <(address)>: rejected'],
    ['550 5.1.1 Alice.Smith... User unknown', '550 5.1.1 (name)... User unknown'],
    ['550 for alice.smith@example.org, bob@example.org', '550 for (address), (address)'],
  ])('hides the addresses in %j', (message, reason) => {
    const error = failure(`Rejected: ${message}`, { command: 'RCPT TO', responseCode: 550 })
    expect(error.message).toBe(`The mail server mail.example.org:587 rejected the mail: Rejected: ${reason}`)
    expect(error).not.toHaveProperty('cause')
  })

  it.each([
    ['self-signed certificate', 'ESOCKET', 'has no valid certificate: self-signed certificate. Set the name'],
    ['Error upgrading connection with STARTTLS', 'ETLS', 'offers no encryption with STARTTLS'],
    ['Invalid login: 535', 'EAUTH', 'rejected the user name or the password of MAIL__URL'],
    ['connect ECONNREFUSED 127.0.0.1:25', 'ESOCKET', 'could not be used: connect ECONNREFUSED'],
  ])('explains %j', (message, code, explanation) => {
    expect(failure(message, { code }).message).toContain(
      `The mail server mail.example.org:587 ${explanation}`,
    )
    expect(failure(message, { code }).message).not.toContain('hunter2')
  })
})
