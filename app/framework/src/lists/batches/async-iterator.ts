/** What `for await` asks of something whose end is null. */
export function iterating<Item>(next: () => Promise<Item | null>): AsyncIterator<Item> {
  return {
    async next() {
      const value = await next()
      return value === null ? { done: true, value: undefined } : { done: false, value }
    },
  }
}
