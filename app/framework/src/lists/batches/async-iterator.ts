/** Returns an iterator for `for await` that ends when `next` returns null. */
export function asyncIterator<Item>(next: () => Promise<Item | null>): AsyncIterator<Item> {
  return {
    async next() {
      const value = await next()
      return value === null ? { done: true, value: undefined } : { done: false, value }
    },
  }
}
