console.log('worker soon')
export async function workerCommand(): Promise<void> {}
