import type { GeneratedFile, Model } from './model.ts'

export async function testFiles(_model: Model): Promise<GeneratedFile[]> {
  return []
}
