import { Client } from 'pg'
import { overrideCapabilities } from '../../src/database/capabilities.ts'
import { postgresWord } from './postgres-words.ts'

// Imported by every process of `npm run pergola -- test:engines`: the databases lack what other engines lack, and a statement that
// uses it fails. The setup of the tests also fails each file that sent one, even if the error was caught.

overrideCapabilities({ rowVersions: false, advisoryLocks: false })

/** The statements that were refused in this process. */
export const refused: string[] = []

const client = Client.prototype as unknown as { query: (...args: unknown[]) => unknown }
const { query } = client
client.query = function (statement, ...rest) {
  const text = typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '')
  const word = postgresWord(text)
  if (word === null) return query.call(this, statement, ...rest)
  refused.push(text)
  throw new Error(`The statement uses ${word}, which other engines lack: ${text}`)
}
