import { resolve } from 'node:path'

type Opens = (file: string, line: string) => string

const VS_CODE: Opens = (file, line) => `vscode://file/${file}:${line}`

/** The addresses that editors register, by the name of their program. */
const EDITORS: Record<string, Opens> = {
  code: VS_CODE,
  // npm sets these if the variable is empty.
  vi: VS_CODE,
  notepad: VS_CODE,
  cursor: (file, line) => `cursor://file/${file}:${line}`,
  windsurf: (file, line) => `windsurf://file/${file}:${line}`,
  zed: (file, line) => `zed://file/${file}:${line}`,
  subl: (file, line) => `subl://open?url=file://${file}&line=${line}`,
  idea: (file, line) => `idea://open?file=${file}&line=${line}`,
  webstorm: (file, line) => `webstorm://open?file=${file}&line=${line}`,
}

/**
 * Returns the address that opens a line, `app/posts/post.ts:12`, in the editor of the variable `EDITOR`: that of Visual
 * Studio Code without one. Null for an editor that has no addresses, such as vim.
 */
export function editorUrl(place: string, editor = process.env['EDITOR'] || 'code'): string | null {
  const [program = ''] = editor.split(/[\\/]/).at(-1)?.split(/[. ]/) ?? []
  const [, file = '', line = ''] = /^(.+):(\d+)$/.exec(place) ?? []
  if (line === '') return null
  return EDITORS[program]?.(resolve(file).split(/[\\/]/).map(encodeURIComponent).join('/'), line) ?? null
}
