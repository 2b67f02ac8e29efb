import type { GeneratedFile, Model } from './model.ts'

export async function viewFiles(_model: Model): Promise<GeneratedFile[]> {
  return []
}
