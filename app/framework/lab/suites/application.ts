// The suites start the application of this repository in production mode, and attack every route of it. This file and
// with-test-notes.ts are the only ones of the package that know it.
export { createApp } from '../../../app.ts'
export { readConfig } from '../../../config.ts'
export { migrate } from '../../../db/migrate.ts'
export { routeTables } from '../../../pages.ts'
export { resources } from '../../../resources.ts'
export { testApp, type Newcomer } from '../../../test/test-app.ts'
export {
  createTestNotes,
  makeTestNote,
  TestNote,
  testNoteApp,
  testNoteDatabase,
} from '../../../test/test-note.ts'
export { DEMO_PASSWORD } from '../../../users/demo-accounts.ts'
export { hashPassword } from '../../../users/password.ts'
export { User } from '../../../users/user.ts'
export { makeUser } from '../../../users/user.factory.ts'
export { users } from '../../../users/user.repository.ts'
