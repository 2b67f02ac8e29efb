import { describe, expect, it } from 'vitest'
import { withoutHanging } from '../../test/fixtures/without-hanging.ts'
import { Unrecoverable } from '../jobs/unrecoverable.ts'
import { smtpFailure } from './smtp-failure.ts'

const delivery = { url: 'smtp://user:hunter2@mail.example.org:587', recipient: 'alice.smith@example.org' }
const failure = (message: string, fields: object = {}) =>
  smtpFailure(Object.assign(new Error(message), fields), delivery)

describe('smtpFailure', () => {
  it.each([
    ['RCPT TO', '550 5.1.1 No such user'],
    ['RCPT TO', '550-5.1.1 The account does not exist.\n550 5.1.1 Check the address.'],
    ['RCPT TO', '550 5.1.10 The domain accepts no mail'],
    ['RCPT TO', '552 5.2.2 Mailbox full'],
    ['DATA', '554 5.6.0 Invalid content'],
    ['RCPT TO', '550 No such user'],
    ['DATA', '552 Message too large'],
    ['RCPT TO', '553 Mailbox name not allowed'],
    ['DATA', '554 Transaction failed'],
  ])('is unrecoverable after %s: %s', (command, response) => {
    const error = failure('no', { command, response })
    expect(error).toBeInstanceOf(Unrecoverable)
    expect(error.message).toContain('rejected the mail: no')
  })

  it.each([
    ['RCPT TO', '450 4.2.1 Mailbox busy'],
    ['DATA', '451 Try again later'],
    ['RCPT TO', '550 5.4.5 Daily sending limit exceeded'],
    ['DATA', '550-5.4.5 Daily sending limit exceeded.\n550 5.4.5 Try tomorrow.'],
    ['RCPT TO', '550 5.7.1 Relaying denied'],
    ['RCPT TO', '553 5.1.8 Domain of the sender not found'],
    ['RCPT TO', '530 Authentication required'],
    ['RCPT TO', '535 5.7.8 Authentication failed'],
    ['DATA', '550 5.7.26 Unauthenticated sender'],
    ['DATA', '503 5.5.1 Bad sequence of commands'],
    ['MAIL FROM', '550 5.1.1 Rejected'],
    ['AUTH PLAIN', '535 5.7.8 Wrong password'],
    ['CONN', undefined],
  ])('is retried after %s: %s', (command, response) => {
    expect(failure('no', { command, response })).not.toBeInstanceOf(Unrecoverable)
  })

  it.each([
    ['550 5.1.1 <alice.smith@example.org>: rejected', '550 5.1.1 <(address)>: rejected'],
    ['550 5.1.1 Alice.Smith... User unknown', '550 5.1.1 (name)... User unknown'],
    ['550 for alice.smith@example.org, bob@example.org', '550 for (address), (address)'],
  ])('hides the addresses in %j', (message, reason) => {
    const error = failure(`Rejected: ${message}`, { command: 'RCPT TO', response: message })
    expect(error.message).toBe(`The mail server mail.example.org:587 rejected the mail: Rejected: ${reason}`)
    expect(error).not.toHaveProperty('cause')
  })

  it('reads a reply with a million characters once', () => {
    const word = 'a'.repeat(1_000_000)
    expect(withoutHanging(() => failure(word).message)).toContain(word)
  })

  it.each([
    ['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['Hostname/IP does not match', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['certificate has expired', 'CERT_HAS_EXPIRED'],
  ])('explains the certificate error %j', (message, originalCode) => {
    expect(failure(message, { code: 'ESOCKET', originalCode }).message).toContain(
      `The mail server mail.example.org:587 has no valid certificate: ${message}. Set the name`,
    )
  })

  it.each([
    ['Error upgrading connection with STARTTLS', 'ETLS', 'offers no encryption with STARTTLS'],
    ['Invalid login: 535', 'EAUTH', 'rejected the user name or the password of MAIL__URL'],
    ['connect ECONNREFUSED 127.0.0.1:25', 'ESOCKET', 'could not be used: connect ECONNREFUSED'],
    ['421 The certainty of delivery is low', 'EPROTOCOL', 'could not be used: 421 The certainty'],
  ])('explains %j', (message, code, explanation) => {
    expect(failure(message, { code }).message).toContain(
      `The mail server mail.example.org:587 ${explanation}`,
    )
    expect(failure(message, { code }).message).not.toContain('hunter2')
  })
})
