import { describe, expect, it } from 'vitest'
import { editorUrl } from './editor-url.ts'

const place = 'app/posts/post.ts:12'

describe('editorUrl', () => {
  it.each([
    ['code', /^vscode:\/\/file\/\/.*app\/posts\/post\.ts:12$/],
    ['code --wait', /^vscode:/],
    ['vi', /^vscode:/],
    ['notepad.exe', /^vscode:/],
    ['/usr/local/bin/cursor', /^cursor:/],
    ['idea', /^idea:\/\/open\?file=\/.*&line=12$/],
  ])('returns the address of %s', (editor, expected) => {
    expect(editorUrl(place, editor)).toMatch(expected)
  })

  it('escapes the names of folders', () => {
    expect(editorUrl('a & b/c#/d.ts:1', 'idea')).toContain('/a%20%26%20b/c%23/d.ts&line=1')
  })

  it('returns null for an editor without addresses, and for a place without a line', () => {
    expect(editorUrl(place, 'vim')).toBeNull()
    expect(editorUrl('an unknown location', 'code')).toBeNull()
  })
})
