import type { FilesOptions } from './files.ts'
import type { GeneratedFile, Model } from './model.ts'

export async function appFiles(_model: Model, _options: FilesOptions): Promise<GeneratedFile[]> {
  return []
}
