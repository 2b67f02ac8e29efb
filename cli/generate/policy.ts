export function generatePolicy(_model: string): void {}
