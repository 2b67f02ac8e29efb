import { constants, setPriority } from 'node:os'
import { checkViews } from '../../commands/views/check-views.ts'
import { root } from '../../test/tools.ts'

// Checks the types once, and sends the errors to `npm run dev`. The server and the browser come first.
setPriority(constants.priority.PRIORITY_LOW)
// This process leads a group, in which `tsc` runs.
process.once('disconnect', () => process.kill(process.platform === 'win32' ? process.pid : -process.pid))
const { errors } = await checkViews(root)
process.send?.(errors, () => process.exit())
