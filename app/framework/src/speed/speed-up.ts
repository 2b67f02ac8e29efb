import { statements } from '../database/send-statement.ts'
import { seals } from '../http/security/session-cookie.ts'
import { responses } from '../http/settings.ts'
import { listViews } from '../http/views/list-views.ts'
import { markup } from '../http/views/views.ts'
import { lists } from '../lists/list-statement.ts'
import { sharing } from '../rows/row-by-key.ts'
import { compactMarkup } from './compact-markup.ts'
import { openedSeals } from './opened-seals.ts'
import { reusedListView } from './reused-list-views.ts'
import { sendHtml, useFastJson } from './send-body.ts'
import { shareRows } from './share-rows.ts'
import { executeShared } from './shared-lists.ts'
import { StatementNames } from './statement-names.ts'
import { sendStatement } from './statement.ts'

/** Replaces parts of the core by faster ones with equal results. `npm run pergola -- test:framework -- --plain` leaves it out. */
export function speedUp(): void {
  statements.send = sendStatement
  statements.names = () => new StatementNames()
  sharing.share = shareRows
  lists.execute = executeShared
  seals.of = openedSeals
  markup.compact = compactMarkup
  listViews.render = reusedListView
  responses.prepare = useFastJson
  responses.sendHtml = sendHtml
}
