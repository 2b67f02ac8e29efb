/** Freezes an object and the values in it, and returns it. */
export function deepFreeze<Value extends object>(value: Value): Value {
  // A loop, since `Object.values` of each row would take longer than freezing it.
  for (const name in value) {
    const inner = value[name]
    // The bytes of a Buffer can't be frozen, only the column that holds it.
    if (typeof inner === 'object' && inner !== null && !ArrayBuffer.isView(inner)) deepFreeze(inner)
  }
  return Object.freeze(value)
}
