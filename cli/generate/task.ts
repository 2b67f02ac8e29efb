export function generateTask(_name: string): void {}
