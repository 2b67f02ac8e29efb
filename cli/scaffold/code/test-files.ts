import { browserTestData } from './browser-test-code.ts'
import { httpTestData } from './http-test-code.ts'
import type { GeneratedFile, Model } from '../model.ts'
import { policyTestData } from './policy-test-code.ts'
import { rendered } from './render-template.ts'

/** Returns the tests of the policy, of the HTTP routes, and in the browser. */
export async function testFiles(model: Model): Promise<GeneratedFile[]> {
  if (!model.tests) return []
  const { folder, file } = model.names
  return rendered([
    [`app/${folder}/${file}.policy.test.ts`, 'post.policy.test.ts', policyTestData(model)],
    [`app/${folder}/${file}.test.ts`, 'post.test.ts', httpTestData(model)],
    [`e2e/${folder}.spec.ts`, 'posts.spec.ts', browserTestData(model)],
  ])
}
