import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Commands in clones share their compiled code. Without it, each one takes 0.7 seconds longer to start. */
export default function compiledCode(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-compiled-'))
  process.env['NODE_COMPILE_CACHE'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
