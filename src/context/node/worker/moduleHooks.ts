import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { ProviderError } from '../../common/providerError';
import { packageScheme } from './providerModule';

/**
 * Lets the worker import TypeScript, by taking the types out, and packages from the workspace's folder; tells which
 * files it loads.
 */
export function installModuleHooks(folder: string | undefined, onFile: (url: string) => void): void {
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith(packageScheme) || folder === undefined) return next(specifier, context);
      const parentURL = `${folder.replace(/\/$/, '')}/provider.mjs`;
      return next(specifier.slice(packageScheme.length), { ...context, parentURL });
    },
    load(url, context, next) {
      const isOwnFile = url.startsWith('file:') && !url.includes('/node_modules/');
      if (isOwnFile) onFile(url);
      const path = new URL(url).pathname;
      return isOwnFile && /\.[cm]?ts$/.test(path) ? loadTypeScript(url) : next(url, context);
    },
  });
}

function loadTypeScript(url: string): nodeModule.LoadFnOutput {
  if (typeof nodeModule.stripTypeScriptTypes !== 'function')
    throw new ProviderError('This editor cannot run TypeScript. Compile the provider to JavaScript.');
  const source = nodeModule.stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
  return { format: formatOf(url, source), source, shortCircuit: true };
}

/** As the name says; else as the syntax does. */
function formatOf(url: string, source: string): 'module' | 'commonjs' {
  const { pathname } = new URL(url);
  if (pathname.endsWith('.cts')) return 'commonjs';
  const isCommonJs = /\bmodule\.exports\b|\bexports\.\w+\s*=/.test(source) && !/^\s*(?:import|export)\b/m.test(source);
  return isCommonJs && !pathname.endsWith('.mts') ? 'commonjs' : 'module';
}
