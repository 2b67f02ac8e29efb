import type { Request } from 'express'
import type { Config } from '../../../../app/config.ts'

export { resourcesOf } from '../../../../app/config-of.ts'

/** The configuration with the setting that docs/settings.md adds. */
export declare function configOf(req: Request): Config & { feedback: { to: string } }
