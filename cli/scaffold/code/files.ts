import { appFiles } from './app-files.ts'
import type { GeneratedFile, Model } from '../model.ts'
import { testFiles } from './test-files.ts'
import { viewFiles } from './view-files.ts'

export interface FilesOptions {
  /** The name of the migration, without `.ts`: `20260101000200_create_posts`. */
  readonly migration: string
}

/** Returns all files of a resource, formatted. */
export async function filesOf(model: Model, options: FilesOptions): Promise<GeneratedFile[]> {
  return [...(await appFiles(model, options)), ...(await viewFiles(model)), ...(await testFiles(model))]
}
