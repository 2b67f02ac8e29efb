import { browserTestData } from './browser-test-code.ts'
import { httpTestData } from './http-test-code.ts'
import type { GeneratedFile, Model } from '../model.ts'
import { policyTestData } from './policy-test-code.ts'
import { rendered } from './render-template.ts'

/** Tests of the policy, of everything that goes over HTTP, and of what a person does in a browser. */
export async function testFiles(model: Model): Promise<GeneratedFile[]> {
  if (!model.tests) return []
  const { folder, file } = model.names
  return rendered([
    [`app/${folder}/${file}.policy.test.ts`, 'post.policy.test.ts', policyTestData(model)],
    [`app/${folder}/${file}.test.ts`, 'post.test.ts', httpTestData(model)],
    [`e2e/${folder}.spec.ts`, 'posts.spec.ts', browserTestData(model)],
  ])
}
