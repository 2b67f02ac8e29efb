import { describe, expect, it } from 'vitest'
import { crashPage, howItEnded } from './crash-page.ts'

const crash = { code: 1, signal: null, lived: 10, errors: '' }

describe('howItEnded', () => {
  it('names the exit code or the signal', () => {
    expect(howItEnded(crash)).toBe('The server ended with exit code 1.')
    expect(howItEnded({ ...crash, code: null, signal: 'SIGKILL' })).toBe('The server was ended by SIGKILL.')
    expect(howItEnded({ ...crash, code: null })).toBe('The server could not be started.')
  })
})

describe('crashPage', () => {
  it('is a page for browsers, with everything that could be markup escaped', () => {
    const { type, body } = crashPage(
      { ...crash, errors: `<script>"a" & 'b'</script>` },
      'text/html,*/*;q=0.8',
    )
    expect(type).toBe('text/html; charset=utf-8')
    expect(body).toContain('<pre>&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;</pre>')
  })

  it('is text for whoever does not ask for HTML', () => {
    const page = crashPage({ ...crash, errors: 'Error: <i>' }, 'application/json')
    expect(page.type).toBe('text/plain; charset=utf-8')
    expect(page.body).toBe('The server ended with exit code 1.\n\nError: <i>\n')
  })

  it('leaves out the colours of the terminal', () => {
    expect(crashPage({ ...crash, errors: '\u001B[31mred\u001B[39m' }).body).toContain('\n\nred\n')
  })

  it('sends to the terminal when nothing came by stderr', () => {
    expect(crashPage(crash).body).toContain('see the terminal')
  })
})
