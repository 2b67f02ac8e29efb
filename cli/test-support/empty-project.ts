import type { Existing } from '../scaffold/existing.ts'

/** A project without any names. */
export const EMPTY_PROJECT: Existing = {
  targets: [],
  references: [],
  tables: new Set(),
  folders: new Set(),
  paths: new Set(),
  identifiers: new Set(),
}
