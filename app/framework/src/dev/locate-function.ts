import { Session } from 'node:inspector'
import { pathInProject } from '../resource/declared-at.ts'

/** Returns the position of a function as `file:line`, relative to the project. Reads it from V8's inspector: 30 ms. */
export function locateFunction(target: object): string {
  const session = new Session()
  const urls = new Map<string, string>()
  session.connect()
  try {
    session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url))
    session.post('Debugger.enable')
    const location = locationOf(session, target)
    const url = urls.get(location?.scriptId ?? '') ?? ''
    return location === null || !url.startsWith('file:')
      ? 'an unknown location'
      : `${pathInProject(url)}:${location.line}`
  } finally {
    session.disconnect()
  }
}

interface Location {
  scriptId: string
  line: number
}

function locationOf(session: Session, target: object): Location | null {
  const name = '__located'
  Object.assign(globalThis, { [name]: target })
  let location: Location | null = null
  // For a session in the same thread, the callback runs before `post` returns.
  session.post('Runtime.evaluate', { expression: name }, (_error, { result }) => {
    session.post('Runtime.getProperties', { objectId: result.objectId ?? '' }, (_failed, properties) => {
      const [place] = (properties.internalProperties ?? []).filter(
        ({ name }) => name === '[[FunctionLocation]]',
      )
      const value = place?.value?.value as { scriptId: string; lineNumber: number } | undefined
      if (value !== undefined) location = { scriptId: value.scriptId, line: value.lineNumber + 1 }
    })
  })
  Reflect.deleteProperty(globalThis, name)
  return location
}
