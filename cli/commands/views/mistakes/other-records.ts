import type { DeclaredRoutes } from '../declared-routes.ts'
import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

const CALL = /\bpathTo\((?:it\.)?(\w+),\s*'(\w+) ([^']*)',\s*(?:it\.)?(\w+)\)/g

/**
 * Returns the routes of one resource with a record of another one, which TypeScript accepts because both have an id. The name of the variable names the
 * resource of the record.
 */
export const otherRecords = ({ parts }: ViewSource, routes: DeclaredRoutes): Mistake[] =>
  parts.flatMap((part) =>
    otherRecordsIn(part?.code ?? '', routes).map(({ start, message }) => ({
      start: (part?.start ?? 0) + start,
      message,
    })),
  )

/** Returns these mistakes in code. */
export function otherRecordsIn(code: string, { bases, resources }: DeclaredRoutes): Mistake[] {
  const names = new Map([...resources.values()].flat().map((name) => [name.toLowerCase(), name]))
  return [...code.matchAll(CALL)].flatMap(
    ({ 1: table = '', 2: method, 3: path = '', 4: record = '', index: start }) => {
      const route = `${method} ${`${bases.get(table) ?? ''}${path}`.replace(/(?<=.)\/$/, '')}`
      const about = resources.get(route) ?? []
      const given = names.get(record.toLowerCase())
      if (given === undefined || about.length === 0 || about.includes(given)) return []
      const message = `This route is about a ${about.join(' and a ')}, and ${record} is a ${given}. Pass the record, or an object with its id.`
      return { start, message }
    },
  )
}
