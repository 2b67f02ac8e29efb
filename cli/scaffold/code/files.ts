import { actionsData } from '../actions/actions-code.ts'
import { browserTestData } from './browser-test-code.ts'
import { controllerData } from './controller-code.ts'
import { factoryData } from './factory-code.ts'
import { formData } from './form-markup.ts'
import { httpTestData } from './http-test-code.ts'
import { indexData } from './index-markup.ts'
import { migrationData } from './migration-code.ts'
import type { FilesOptions, GeneratedFile, Model } from '../model.ts'
import { filesWithin } from '../nested/files-within.ts'
import { nestedFiles } from '../nested/nested-files.ts'
import { isOpen } from './readers-code.ts'
import { isMigration } from '../project/record.ts'
import { policyData } from './policy-code.ts'
import { policyTestData } from './policy-test-code.ts'
import { rendered, type Templated } from './render-template.ts'
import { schemaData } from './schema-code.ts'
import { seedData } from './seed-code.ts'
import { showData } from './show-markup.ts'

/** Returns all files of a resource, formatted. */
export function filesOf(model: Model, { migration }: FilesOptions): Promise<GeneratedFile[]> {
  const own = ([path]: Templated) => model.fromTable === undefined || !isMigration(path)
  const shared = { ...actionsData(model), isOpen: isOpen(model) }
  const rendering = (files: readonly Templated[]) => rendered(files.filter(own), shared)
  if (model.parent) return rendering(nestedFiles(model, model.parent, { migration }))
  const { folder, file } = model.names
  const app = `app/${folder}/${file}`
  const views = `views/${folder}`
  const tests: Templated[] = [
    [`${app}.policy.test.ts`, 'post.policy.test.ts', policyTestData(model)],
    [`${app}.test.ts`, 'post.test.ts', httpTestData(model)],
    [`e2e/${folder}.spec.ts`, 'posts.spec.ts', browserTestData(model)],
  ]
  const files: Templated[] = [
    [`${app}.ts`, 'post.ts', schemaData(model)],
    [`${app}.policy.ts`, 'post.policy.ts', policyData(model)],
    [`${app}.repository.ts`, 'post.repository.ts', repositoryData(model)],
    [`${app}.controller.ts`, 'post.controller.ts', controllerData(model)],
    [`${app}.factory.ts`, 'post.factory.ts', factoryData(model)],
    [`${app}.seed.ts`, 'post.seed.ts', seedData(model)],
    [`app/db/migrations/${migration}.ts`, 'migration.ts', migrationData(model)],
    [`${views}/index.eta`, 'views.index', indexData(model)],
    [`${views}/show.eta`, 'views.show', showData(model)],
    [`${views}/new.eta`, 'views.new', formData(model)],
    [`${views}/edit.eta`, 'views.edit', formData(model)],
    [`${views}/_form.eta`, 'views._form', formData(model)],
    ...(model.tests ? tests : []),
  ]
  return rendering(model.within ? filesWithin(model, model.within, files) : files)
}

const repositoryData = (model: Model) => ({ ...model, orderedBy: model.cursor ?? 'created_at' })
