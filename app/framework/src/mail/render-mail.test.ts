import { describe, expect, it } from 'vitest'
import { mailSettings, welcome } from '../../test/fixtures/welcome.ts'
import { withoutHanging } from '../../test/fixtures/without-hanging.ts'
import { renderMail } from './render-mail.ts'

const plain = { ...welcome, subject: () => 'Welcome' }

const render = (name: string) =>
  renderMail(mailSettings(), plain, {
    to: { name: '', address: 'alice@example.org' },
    data: { ...welcome.example, name },
  })

describe('renderMail', () => {
  it('removes the spaces at the ends of lines, and keeps those within', () => {
    expect(render('A \t B').text).toBe(
      'Welcome, A \t B.\nBegin: https://example.org/begin?token=4f1c\n\nUntil soon\n',
    )
    expect(render('A \t \nB  ').text).toMatch(/^Welcome, A\nB  \.\n/)
  })

  it('reads a text with a million spaces once', () => {
    const spaces = ' '.repeat(1_000_000)
    expect(withoutHanging(() => render(`A${spaces}B`).text)).toContain(`A${spaces}B.`)
  })
})
