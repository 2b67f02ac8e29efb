import type { DeclaredResource } from 'pergola'
import { resources } from '../../../resources.ts'
import { testNoteResource } from '../../../test/test-note.ts'

// Loaded before app/server.ts (`node --import`), adds the test notes to its resources: their table is empty, and the
// application's own resources may change.
;(resources as readonly DeclaredResource[] as DeclaredResource[]).push(testNoteResource)
