import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Returns the fields whose errors a view shows elsewhere, but for which it has no control. */
export function missingControls({ source, parts }: ViewSource): Mistake[] {
  const controls = new Set([...source.matchAll(/\bname(?:: '|=["']?)([\w-]+)/g)].map(([, name = '']) => name))
  // A name that is not a text may be any of them.
  if (/\bname(?:: [^']|=["']?<%)|\{[^}]*\bname[,}\s]/.test(source)) return []
  return parts.flatMap((part) => {
    const list = /^include\('\/partials\/form_errors', \{.*\bfields: \[([^\]]*)\]/.exec(part?.code ?? '')?.[1]
    const missing = [...(list ?? '').matchAll(/'([^']+)'/g)].filter(([, name = '']) => !controls.has(name))
    return missing.map(([, name]) => ({
      start: part?.start ?? 0,
      message: `The view has no control with the name ${name}.`,
    }))
  })
}
