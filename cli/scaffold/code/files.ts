import { appFiles } from './app-files.ts'
import type { FilesOptions, GeneratedFile, Model } from '../model.ts'
import { testFiles } from './test-files.ts'
import { viewFiles } from './view-files.ts'

/** Returns all files of a resource, formatted. */
export async function filesOf(model: Model, options: FilesOptions): Promise<GeneratedFile[]> {
  return [...(await appFiles(model, options)), ...(await viewFiles(model)), ...(await testFiles(model))]
}
