import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api'

/** The context of the running code. Channels can bind it, unlike that of the package context-async-hooks. */
export const contexts = new AsyncLocalStorage<Context>()

/** Makes it the active context of OpenTelemetry, so that spans of the application belong to the request too. */
export const contextManager: ContextManager = {
  active: () => contexts.getStore() ?? ROOT_CONTEXT,
  with: (context, work, self, ...args) => contexts.run(context, () => work.apply(self as never, args)),
  bind: (context, target) =>
    typeof target === 'function'
      ? (((...args: unknown[]) => contexts.run(context, () => target(...args) as unknown)) as typeof target)
      : target,
  enable: () => contextManager,
  disable: () => contextManager,
}
