/** The standard objects that all code of a worker shares. */
const standardNames = [
  'Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp Error AggregateError EvalError',
  'RangeError ReferenceError SyntaxError TypeError URIError Map Set WeakMap WeakSet WeakRef FinalizationRegistry',
  'ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array',
  'Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array Proxy Iterator Math JSON Reflect Atomics Intl',
  'Buffer URL URLSearchParams TextEncoder TextDecoder AbortController AbortSignal Event EventTarget console process',
]
  .join(' ')
  .split(' ');

/**
 * The other globals that are compared. Reading any other global would load parts of Node.js that few providers need.
 */
const functionNames = [
  'fetch structuredClone queueMicrotask atob btoa eval parseInt parseFloat isNaN isFinite encodeURI decodeURI',
  'encodeURIComponent decodeURIComponent setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate',
]
  .join(' ')
  .split(' ');
const comparedNames = new Set<PropertyKey>([...standardNames, ...functionNames]);

// Providers can replace these.
const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf, get } = Reflect;
const { getOwnPropertyNames, is } = Object;

interface ObjectState {
  readonly target: object;
  readonly keyCount: number;
  /** Keys of the members with a value. Reading them runs no code. */
  readonly valueKeys: readonly PropertyKey[];
  /** The values of `valueKeys`. */
  readonly values: readonly unknown[];
  readonly accessors: readonly (readonly [PropertyKey, PropertyDescriptor])[];
}

/** Detects changes of globals, because all providers of a worker share them. */
export class GlobalsSnapshot {
  private states: readonly ObjectState[];

  constructor() {
    this.states = captureStates();
  }

  /** Returns whether any global has changed since the last call. */
  detectChange(): boolean {
    try {
      if (this.states.every(isSame)) return false;
      this.states = captureStates();
      return true;
    } catch {
      // The object throws an error when it is inspected, so a provider must have changed it.
      return true;
    }
  }
}

function captureStates(): ObjectState[] {
  const targets = new Set<object>([globalThis, process.env]);
  for (const name of standardNames) {
    const value: unknown = getOwnPropertyDescriptor(globalThis, name)?.value ?? undefined;
    addTo(targets, value);
    if (typeof value === 'function') addTo(targets, get(value, 'prototype'));
  }
  for (const sample of [async () => Promise.resolve(), [].values(), new Map().values(), new Set().values(), Uint8Array])
    addTo(targets, getPrototypeOf(sample));
  return [...targets].map(stateOf);
}

function addTo(targets: Set<object>, value: unknown): void {
  if ((typeof value === 'object' && value !== null) || typeof value === 'function') targets.add(value);
}

function keysOf(target: object): PropertyKey[] {
  // Node.js itself adds members with symbols and underscores as names when they are first used.
  if (target === globalThis) return getOwnPropertyNames(target);
  return target === process ? getOwnPropertyNames(target).filter((name) => !name.startsWith('_')) : ownKeys(target);
}

function stateOf(target: object): ObjectState {
  const valueKeys: PropertyKey[] = [];
  const values: unknown[] = [];
  const accessors: [PropertyKey, PropertyDescriptor][] = [];
  const keys = keysOf(target);
  for (const key of keys) {
    if (target === globalThis && !comparedNames.has(key)) continue;
    const descriptor = getOwnPropertyDescriptor(target, key);
    if (!descriptor) continue;
    if ('value' in descriptor) {
      valueKeys.push(key);
      values.push(descriptor.value);
      continue;
    }
    // Node.js replaces its own accessors with their values when they are first used.
    if (target !== globalThis && target !== process) accessors.push([key, descriptor]);
  }
  return { target, keyCount: keys.length, valueKeys, values, accessors };
}

function isSame({ target, keyCount, valueKeys, values, accessors }: ObjectState): boolean {
  if (keysOf(target).length !== keyCount) return false;
  // Compares by index, because iterators create objects, and users wait for this.
  for (let index = 0; index < valueKeys.length; index++)
    if (!is(get(target, valueKeys[index] ?? ''), values[index])) return false;
  for (const [key, before] of accessors) {
    const now = getOwnPropertyDescriptor(target, key);
    if (!now || !is(get(now, 'get'), get(before, 'get')) || !is(get(now, 'set'), get(before, 'set'))) return false;
  }
  return true;
}
