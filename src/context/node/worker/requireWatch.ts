import { createRequire, isBuiltin, Module } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Calls back for each file that code requires, with its importer, even if the file is cached and Node.js calls no hook.
 * `onRequire` can throw.
 */
export function watchRequires(onRequire: (url: string, importer: string) => void): void {
  const prototype: { require: (this: unknown, id: string) => unknown } = Module.prototype;
  const load = prototype.require;
  prototype.require = function (id) {
    const importer = fileOf(this);
    const file = importer === undefined || isBuiltin(id) ? undefined : resolveFile(id, importer);
    if (importer !== undefined && file !== undefined) onRequire(pathToFileURL(file).href, pathToFileURL(importer).href);
    return load.call(this, id);
  };
}

function fileOf(module: unknown): string | undefined {
  if (typeof module !== 'object' || module === null || !('filename' in module)) return undefined;
  return typeof module.filename === 'string' ? module.filename : undefined;
}

/** Returns the URL of a required file. Undefined if it does not exist, which Node.js reports itself. */
function resolveFile(id: string, importer: string): string | undefined {
  try {
    return createRequire(importer).resolve(id);
  } catch {
    return undefined;
  }
}
