import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { crashPage, endingText } from './crash-page.ts'

const crash = { code: 1, signal: null, uptime: 10, errors: '' }

describe('endingText', () => {
  it('contains the exit code or the signal', () => {
    expect(endingText(crash)).toBe('The server exited with code 1.')
    expect(endingText({ ...crash, code: null, signal: 'SIGKILL' })).toBe(
      'The server was terminated by SIGKILL.',
    )
    expect(endingText({ ...crash, code: null })).toBe('The server could not be started.')
  })
})

describe('crashPage', () => {
  it('returns HTML for browsers, escaped', () => {
    const { type, body } = crashPage(
      { ...crash, errors: `<script>"a" & 'b'</script>` },
      'text/html,*/*;q=0.8',
    )
    expect(type).toBe('text/html; charset=utf-8')
    expect(body).toContain('<pre>&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;</pre>')
  })

  it('shows the line of the application, with a link to the editor', () => {
    const errors = `at ${pathToFileURL('app/framework/src/index.ts').href}:3:1\nat ${pathToFileURL('app/server.ts').href}:2:1`
    const { body } = crashPage({ ...crash, errors }, 'text/html')
    expect(body).toMatch(/<a href="vscode:[^"]+app\/server\.ts:2"><code>app\/server\.ts:2<\/code>/)
    expect(body).toMatch(/▸ 2 {2}import/)
  })

  it.each([
    'at 100%.ts:1',
    'at /other/app/a.ts:1',
    'at node_modules/x/app/a.ts:1',
    'at app/framework/a.ts:1',
  ])('shows no line for %s', (errors) => {
    expect(crashPage({ ...crash, errors }, 'text/html').body).not.toContain('▸')
  })

  it('returns text if the request doesn’t accept HTML', () => {
    const page = crashPage({ ...crash, errors: 'Error: <i>' }, 'application/json')
    expect(page.type).toBe('text/plain; charset=utf-8')
    expect(page.body).toBe('The server exited with code 1.\n\nError: <i>\n')
  })

  it('removes terminal colours', () => {
    expect(crashPage({ ...crash, errors: '\u001B[31mred\u001B[39m' }).body).toContain('\n\nred\n')
  })

  it('refers to the terminal if stderr was empty', () => {
    expect(crashPage(crash).body).toContain('see the terminal')
  })
})
