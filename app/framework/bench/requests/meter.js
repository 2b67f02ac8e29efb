import { GCProfiler, getHeapStatistics } from 'node:v8'

// Answers the questions of the benchmark about the process that loads this file: `node --import ./meter.js server.js`.
// Each message is the name of a question, and each answer is `{ meter: number }`.

const profiler = new GCProfiler()
let usedAtStart = 0

const answers = {
  /** Microseconds of all threads of the process. */
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  /** Bytes of resident memory. */
  memory: () => process.memoryUsage.rss(),
  /** Begins to count allocated bytes. */
  allocating: () => {
    profiler.start()
    usedAtStart = getHeapStatistics().used_heap_size
    return 0
  },
  /**
   * Bytes that were allocated in the heap of JavaScript since `allocating`: the growth of the heap between garbage
   * collections, before the first and after the last one. Buffers outside of the heap are not counted.
   */
  allocated: () => {
    let [bytes, used] = [0, usedAtStart]
    const now = getHeapStatistics().used_heap_size
    for (const { beforeGC, afterGC } of profiler.stop().statistics) {
      bytes += beforeGC.heapStatistics.usedHeapSize - used
      used = afterGC.heapStatistics.usedHeapSize
    }
    return bytes + now - used
  },
}

process.on('message', (question) => process.send({ meter: answers[question]() }))
// The process may end before the benchmark, but not after it.
process.channel.unref()
process.once('disconnect', () => process.exit())
