import { dialectOfFunctions } from '../../common/providers/dialectFunctions';
import { ProviderError } from '../../common/providers/providerError';
import type { Dialect } from '../../common/providers/contextSchema';
import type { ModuleLocation } from '../providerWorkerMessages';

export interface LoadedProvider {
  readonly dialect: Dialect;
  readonly has: (method: string) => boolean;
  /** Calls a function of the provider. `this` in the function is the provider. Returns its promise, if it returns one. */
  readonly call: (method: string, params: object, settings: object) => unknown;
}

/** URL scheme that marks packages for `moduleHooks`. */
export const packageScheme = 'backline-package:';

/** Returns the argument for `import`. */
export function importSpecifierOf({ specifier, folder }: ModuleLocation): string {
  return folder === undefined ? specifier : `${packageScheme}${specifier}`;
}

/** Loads a module and returns its provider. @throws ProviderError if it has none; any error of the module */
export async function loadProvider(location: ModuleLocation): Promise<LoadedProvider> {
  const imported: unknown = await import(importSpecifierOf(location));
  for (const candidate of candidatesIn(imported)) {
    const has = (name: string): boolean => functionOf(candidate, name) !== undefined;
    const dialect = dialectOfFunctions(has);
    if (dialect) return { dialect, has, call: (method, params, settings) => call(candidate, method, params, settings) };
  }
  throw new ProviderError(
    'The module has no provider: its default export needs to be an object with the functions `capabilities` and `items` (or `meta` and `annotations`).',
  );
}

/**
 * Returns the values that may be the provider: the default export, including that of an ES module compiled to CommonJS.
 */
function candidatesIn(imported: unknown): unknown[] {
  const first = propertyOf(imported, 'default');
  return [first, propertyOf(first, 'default')];
}

function call(provider: unknown, method: string, params: object, settings: object): unknown {
  const apply = functionOf(provider, method);
  if (!apply) throw new ProviderError(`The provider has no function \`${method}\`.`);
  const result: unknown = Reflect.apply(apply, provider, [params, settings]);
  return result;
}

type AnyFunction = (...args: unknown[]) => unknown;

function functionOf(value: unknown, name: string): AnyFunction | undefined {
  const property = propertyOf(value, name);
  return isFunction(property) ? property : undefined;
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

function propertyOf(value: unknown, name: string): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? Reflect.get(value, name) : undefined;
}
